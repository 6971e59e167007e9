/** An object by name and uid, as tokens speak of it. The uid is missing where the object is. */
export interface IssuedReference {
  readonly name: string;
  readonly uid?: string;
}

/** What a token shall say. */
export interface IssueOrder {
  readonly namespace: string;
  readonly serviceAccount: IssuedReference;
  readonly pod?: IssuedReference;
  readonly secret?: IssuedReference;
  readonly node?: IssuedReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Seconds after which the token is on borrowed time. */
  readonly warnAfterSeconds?: number;
}

/** Signs tokens. */
export interface TokenIssuer {
  generate(order: IssueOrder): Promise<string>;
}
