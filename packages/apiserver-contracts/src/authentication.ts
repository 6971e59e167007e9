import type { RequestAudit } from './audit.js';
import type { Exchange } from './exchange.js';
import type { WarningRecorder } from './request-context.js';
import type { UserInfo } from './user-info.js';

/** An authenticated user. */
export interface AuthenticationResponse {
  readonly user: UserInfo;
  /** The audiences of the credential, if its method has audiences. */
  readonly audiences?: readonly string[];
}

/**
 * Authenticates a request. Returns undefined if its kind of credential is absent, and throws if the credential is
 * bad. A union continues after both, and reports the errors together if no authenticator succeeds. Returns a promise
 * only if it must wait.
 * Upstream: k8s.io/apiserver/pkg/authentication/authenticator
 */
export interface Authenticator {
  authenticateRequest(
    exchange: Exchange,
  ): Promise<AuthenticationResponse | undefined> | AuthenticationResponse | undefined;
}

/** Notes about one use of a token. The context of a request is one. */
export interface TokenRecorder {
  /** Warnings for the user of the token; undefined if nobody reads them. */
  readonly warnings?: WarningRecorder | undefined;
  /** Annotations of the audit event; undefined if the request is not audited. */
  readonly audit?: Pick<RequestAudit, 'annotate'> | undefined;
}

/** Authenticates a bearer token that was extracted from a request (TokenReview, WebSocket subprotocols). */
export interface TokenAuthenticator {
  /** The token must have one of `audiences`; default: the server's own. */
  authenticateToken(
    token: string,
    audiences?: readonly string[],
    recorder?: TokenRecorder,
  ): Promise<AuthenticationResponse | undefined>;
}

/**
 * Labels of a secret with a token of a service account. Authentication writes the day of the last use, a controller
 * the day since which the token is invalid.
 * Upstream: LastUsedLabelKey and InvalidSinceLabelKey of pkg/serviceaccount
 */
export const legacyTokenLabels = {
  lastUsed: 'kubernetes.io/legacy-token-last-used',
  invalidSince: 'kubernetes.io/legacy-token-invalid-since',
} as const;
