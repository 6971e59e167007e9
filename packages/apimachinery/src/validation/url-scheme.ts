/** The scheme of a valid URL in lower case; "" if it has none. */
export function schemeOf(text: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase() ?? '';
}
