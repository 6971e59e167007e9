/**
 * Whether a field may have this name in HTTP/2: a token without capitals.
 * Upstream: RFC 9113, section 8.2.1; httpguts.IsTokenRune
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

/** Whether a field may have this value: no control characters but tabs. Upstream: httpguts.ValidHeaderFieldValue */
export function isFieldValue(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    if (isControl(value.charCodeAt(index))) return false;
  }
  return true;
}

/** Whether a value cannot have this character. */
export function isControl(char: number): boolean {
  return (char < 0x20 && char !== 0x09) || char === 0x7f;
}
