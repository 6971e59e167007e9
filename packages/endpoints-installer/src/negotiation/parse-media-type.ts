/** A media type without its parameters, in lower case. */
function bareMediaType(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * The media type of a header with valid parameters. Undefined if a parameter has no value, or two values differ. A
 * trailing semicolon is allowed.
 *
 * Upstream: ParseMediaType in Go's mime
 */
export function parseMediaType(contentType: string): string | undefined {
  const end = contentType.indexOf(';');
  if (end !== -1 && !areParameters(contentType.slice(end))) return undefined;
  return bareMediaType(contentType);
}

const PARAMETER = /\s*;\s*([!#-'*+.^`|~\w-]+)\s*=\s*([!#-'*+.^`|~\w-]+|"(?:[^"\\\r\n]|\\.)*")/y;

function areParameters(text: string): boolean {
  const values = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const [whole, name, value] = PARAMETER.exec(text) ?? [];
    if (whole === undefined || name === undefined || value === undefined) break;
    const read = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
    const known = values.get(name.toLowerCase());
    if (known !== undefined && known !== read) return false;
    values.set(name.toLowerCase(), read);
    at += whole.length;
  }
  const rest = text.slice(at).trim();
  return rest === '' || rest === ';';
}
