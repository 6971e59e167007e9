/** The members of a JSON object. */
export type Members = { [name: string]: unknown };

/** Reports whether a JSON value is an object. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
