/** The day of a moment, in UTC: `2006-01-02`. */
export function formatDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/**
 * The first moment of a day in UTC, in milliseconds since 1970. Undefined for other text, and for a day that does not
 * exist, which Date would convert: 2023-02-30 to the second of March.
 */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const parsed = Date.parse(text);
  return !Number.isNaN(parsed) && formatDay(parsed) === text ? parsed : undefined;
}
