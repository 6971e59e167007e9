/** The user of a plane besides the name. */
export interface UserOptions {
  /** Groups besides `system:authenticated`. Default: none. */
  readonly groups?: readonly string[];
  readonly uid?: string;
  /** A certificate cannot carry it. Default: nothing. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /**
   * - `certificate`: a client certificate of the plane's authority
   * - `token`: a bearer token that the plane accepts
   * - `impersonation`: requests of the administrator with Impersonate-* headers
   *
   * Default: `certificate`, or `token` with `extra`.
   */
  readonly by?: 'certificate' | 'token' | 'impersonation';
}

/** The token of a service account. */
export interface ServiceAccountOptions {
  /** Default: the plane's own. */
  readonly audiences?: readonly string[];
  /** At least 600. Default: 3,600. */
  readonly expirationSeconds?: number;
}
