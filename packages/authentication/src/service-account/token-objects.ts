/** The fields that a verifier reads of any object that a token names. */
export interface TokenObject {
  readonly metadata: {
    readonly uid?: string;
    readonly deletionTimestamp?: string | null;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** An account with its secrets, which may hold tokens. */
export interface TokenServiceAccount extends TokenObject {
  readonly secrets?: readonly { readonly name?: string }[] | null;
}

/** A secret that holds a token. */
export interface TokenSecret extends TokenObject {
  /** Base64. */
  readonly data?: Readonly<Record<string, string>> | null;
}

/**
 * Reads the objects that tokens name, in their current state. Rejects with the server's Status: 404 for an object
 * that no longer exists.
 * Upstream: ServiceAccountTokenGetter in pkg/serviceaccount/jwt.go
 */
export interface TokenObjectGetter {
  serviceAccount(namespace: string, name: string): Promise<TokenServiceAccount>;
  secret(namespace: string, name: string): Promise<TokenSecret>;
  pod(namespace: string, name: string): Promise<TokenObject>;
  node(name: string): Promise<TokenObject>;
}

/** A use of a token that has a metric upstream: pkg/serviceaccount/metrics.go */
export type TokenUse = 'legacy' | 'legacy-manual' | 'legacy-auto' | 'legacy-auto-invalidated' | 'stale' | 'valid';
