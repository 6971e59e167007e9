import type { Authenticator, UserInfo } from '@apiserver/apiserver-contracts';

/** Finds the user of a session; undefined for a session that does not exist or has ended. */
export type SessionLookup = (id: string) => Promise<UserInfo | undefined>;

const COOKIE = /(?:^|;\s*)session=([^;]+)/;

/** Authenticates browsers by their session cookie. */
export function sessionAuthenticator(findUser: SessionLookup): Authenticator {
  return {
    authenticateRequest({ request }) {
      const id = COOKIE.exec(request.headers.get('cookie') ?? '')?.[1];
      // No credential of this kind: no promise, so that other requests do not wait.
      if (id === undefined) return undefined;
      return authenticateSession(id, findUser);
    },
  };
}

async function authenticateSession(id: string, findUser: SessionLookup) {
  const user = await findUser(id);
  if (user === undefined) throw new Error('the session has ended');
  return { user };
}
