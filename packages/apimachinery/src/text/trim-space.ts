/** White space in Go. JavaScript's `trim` knows another set. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const INNER_SPACE = new RegExp(`${SPACE}+`, 'u');
const OUTER_SPACE = new RegExp(`^${SPACE}+|(?<!${SPACE})${SPACE}+$`, 'gu');

/** A text without white space at its ends. Upstream: strings.TrimSpace */
export function trimSpace(text: string): string {
  return text.replace(OUTER_SPACE, '');
}

/** The parts of a text between white space. Upstream: strings.Fields */
export function splitSpace(text: string): readonly string[] {
  return text.split(INNER_SPACE).filter((part) => part !== '');
}
