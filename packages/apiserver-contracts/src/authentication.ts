import type { Exchange } from './exchange.js';
import type { WarningRecorder } from './request-context.js';
import type { UserInfo } from './user-info.js';

/** A proven identity. */
export interface AuthenticationResponse {
  readonly user: UserInfo;
  /** Audiences the credential was issued for, where the method has such a thing. */
  readonly audiences?: readonly string[];
}

/**
 * Proves who sent a request. Answers undefined when its kind of credential is absent, throws when it is present and bad:
 * a union goes on after both and reports the errors together only if nobody succeeds. A promise only where there is
 * something to wait for.
 * Upstream: k8s.io/apiserver/pkg/authentication/authenticator
 */
export interface Authenticator {
  authenticateRequest(
    exchange: Exchange,
  ): Promise<AuthenticationResponse | undefined> | AuthenticationResponse | undefined;
}

/** The same for a bearer token that has already been taken from a request (TokenReview, WebSocket subprotocols). */
export interface TokenAuthenticator {
  /**
   * `audiences` are those that the token must be for one of; absent: the server's own. `warnings` go to who showed the
   * token.
   */
  authenticateToken(
    token: string,
    audiences?: readonly string[],
    warnings?: WarningRecorder,
  ): Promise<AuthenticationResponse | undefined>;
}
