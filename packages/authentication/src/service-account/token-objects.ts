/** What a verifier looks at in any object a token names. */
export interface TokenObject {
  readonly metadata: {
    readonly uid?: string;
    readonly deletionTimestamp?: string | null;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** An account, with the secrets that may hold tokens of it. */
export interface TokenServiceAccount extends TokenObject {
  readonly secrets?: readonly { readonly name?: string }[] | null;
}

/** A secret that holds a token. */
export interface TokenSecret extends TokenObject {
  /** Base64. */
  readonly data?: Readonly<Record<string, string>> | null;
}

/**
 * Reads the objects that tokens name, as they are now. Each rejects with what the server answers: 404 for an object that
 * is gone.
 * Upstream: ServiceAccountTokenGetter in pkg/serviceaccount/jwt.go
 */
export interface TokenObjectGetter {
  serviceAccount(namespace: string, name: string): Promise<TokenServiceAccount>;
  secret(namespace: string, name: string): Promise<TokenSecret>;
  pod(namespace: string, name: string): Promise<TokenObject>;
  node(name: string): Promise<TokenObject>;
}

/** A use of a token that operators watch. Each has its counter upstream: pkg/serviceaccount/metrics.go */
export type TokenUse = 'legacy' | 'legacy-manual' | 'legacy-auto' | 'legacy-auto-invalidated' | 'stale' | 'valid';
