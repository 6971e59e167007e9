/**
 * True for a valid field name of HTTP/2: a token without upper-case letters. Upstream: RFC 9113, section 8.2.1;
 * httpguts.IsTokenRune
 */
export function isFieldName(name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const char = name.charCodeAt(index);
    const isPlain = (char >= 0x61 && char <= 0x7a) || char === 0x2d || (char >= 0x30 && char <= 0x39);
    if (!isPlain && !isTokenMark(char)) return false;
  }
  return name.length > 0;
}

/** Upstream: RFC 9110, section 5.6.2 */
function isTokenMark(char: number): boolean {
  return char < 0x80 && "!#$%&'*+.^_`|~".includes(String.fromCharCode(char));
}

/**
 * The text of a field value whose characters stand for bytes: upstream reads them as UTF-8. Undefined for an invalid
 * value, which has control characters other than tabs. Upstream: httpguts.ValidHeaderFieldValue
 */
export function fieldText(value: string): string | undefined {
  let bits = 0;
  for (let index = 0; index < value.length; index++) {
    const char = value.charCodeAt(index);
    if (isControl(char)) return undefined;
    bits |= char;
  }
  return bits < 0x80 ? value : Buffer.from(value, 'latin1').toString('utf8');
}

/** True for a character that no value may have. */
export function isControl(char: number): boolean {
  return (char < 0x20 && char !== 0x09) || char === 0x7f;
}
