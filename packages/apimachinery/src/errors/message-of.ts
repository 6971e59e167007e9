/** The message of a value that was thrown; a value that is not an Error is printed. */
export function messageOf(thrown: unknown): string {
  // biome-ignore lint/plugin: this is the one place that reads it
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** An Error for a value that was thrown: the value itself, or an Error with its text. */
export function errorOf(thrown: unknown): Error {
  // biome-ignore lint/plugin: this is the one place that makes it
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
