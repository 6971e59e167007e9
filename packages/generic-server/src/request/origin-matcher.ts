/** Says whether an Origin header is one of those allowed. */
export type OriginMatcher = (origin: string) => boolean;

/**
 * Compiles the patterns of allowed origins, on an engine whose time is linear in what a client sends; it is loaded only for
 * this. Rejects with what is wrong when one is no regular expression.
 */
export async function compileOrigins(patterns: readonly string[]): Promise<OriginMatcher> {
  const { RE2JS } = await import('re2js');
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (origin) => compiled.some((pattern) => pattern.matcher(origin).find());
}
