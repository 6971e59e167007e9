/**
 * Authorities that may change while the server runs: those of a file, or of a ConfigMap.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates.CAContentProvider
 */
export interface AuthoritySource {
  /** For the log. */
  readonly name: string;
  /** The PEM bundle first; empty, or "", while there is none. */
  readonly contents: readonly string[];
  /** Calls `listener` whenever there are new contents. */
  onChange(listener: () => void): void;
  /** Follows changes until `signal` aborts. */
  follow(signal: AbortSignal): void;
}

/** The current PEM bundle; "" while there is none. */
export function bundleOf({ contents }: Pick<AuthoritySource, 'contents'>): string {
  return contents[0] ?? '';
}
