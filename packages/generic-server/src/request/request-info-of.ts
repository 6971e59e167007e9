import type { Exchange, RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';

/** What the requestInfo filter found. Throws when it has not run: then the chain is put together wrongly. */
export function requestInfoOf({ context }: Exchange): RequestInfo {
  if (context.requestInfo === undefined) throw new Error('no RequestInfo found in the context');
  return context.requestInfo;
}

/** Whom the authentication filter found. Throws when it has not run. */
export function userOf({ context }: Exchange): UserInfo {
  if (context.user === undefined) throw new Error('no User found in the context');
  return context.user;
}
