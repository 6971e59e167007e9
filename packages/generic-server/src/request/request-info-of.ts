import type { Exchange, RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';

/** The result of the requestInfo filter. Throws if it has not run: a bug in the assembly of the chain. */
export function requestInfoOf({ context }: Exchange): RequestInfo {
  if (context.requestInfo === undefined) throw new Error('no RequestInfo found in the context');
  return context.requestInfo;
}

/** The result of the authentication filter. Throws if it has not run. */
export function userOf({ context }: Exchange): UserInfo {
  if (context.user === undefined) throw new Error('no User found in the context');
  return context.user;
}
