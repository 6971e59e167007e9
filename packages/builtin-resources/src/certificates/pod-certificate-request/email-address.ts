const ATOM = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+";
const DOTTED = `${ATOM}(?:\\.${ATOM})*`;
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\[\\x20-\\x7e])*"';
const ADDRESS = new RegExp(`^(?:${DOTTED}|${QUOTED})@${DOTTED}$`);

/**
 * True for a plain address. Forms with a display name, a comment or an address of the network as domain are refused.
 * Upstream: ParseAddress of net/mail, which accepts those
 */
export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text);
}
