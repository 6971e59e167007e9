/** Reports whether an Origin header is allowed. */
export type OriginMatcher = (origin: string) => boolean;

/** Longer origins match nothing. The name of a host has at most 255 characters. */
const MAX_ORIGIN_LENGTH = 4_096;

/**
 * Compiles the patterns of allowed origins. The engine's time is linear in a client's input; it is only loaded for
 * this. Rejects with the error of an invalid regular expression.
 */
export async function compileOrigins(patterns: readonly string[]): Promise<OriginMatcher> {
  const { RE2JS } = await import('re2js');
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (origin) => origin.length <= MAX_ORIGIN_LENGTH && compiled.some((pattern) => pattern.matcher(origin).find());
}
