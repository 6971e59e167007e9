/** Converts any thrown value to an Error. This package has no dependencies, so it has its own. */
export function errorOf(thrown: unknown): Error {
  // biome-ignore lint/plugin: apimachinery's errorOf is out of reach
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
