/** An object's name and UID, as in tokens. The UID is absent if the object is missing. */
export interface IssuedReference {
  readonly name: string;
  readonly uid?: string;
}

/** Contents of a new token. */
export interface IssueOrder {
  readonly namespace: string;
  readonly serviceAccount: IssuedReference;
  readonly pod?: IssuedReference;
  readonly secret?: IssuedReference;
  readonly node?: IssuedReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Seconds after which each use of the token causes a warning. */
  readonly warnAfterSeconds?: number;
}

/** A new token, and its `jti`. */
export interface IssuedToken {
  readonly token: string;
  readonly id: string;
}

/** Signs tokens. */
export interface TokenIssuer {
  generate(order: IssueOrder): Promise<IssuedToken>;
}
