/**
 * Reports whether a text is a URI for a request line: a path from the root, `*`, or anything after a scheme.
 *
 * Upstream: ParseRequestURI of Go's net/url
 */
export function isRequestUri(text: string): boolean {
  if (text === '' || [...text].some((character) => character < ' ' || character === '\x7f')) return false;
  if (text === '*') return true;
  const [, scheme, after = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/.exec(text) ?? [];
  const [rest = ''] = after.split('?', 1);
  if (!rest.startsWith('/')) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && (slash === -1 || isEscaped(rest.slice(slash)));
}

/** True if two hexadecimal digits follow every percent sign. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = at === -1 ? '' : authority.slice(0, at);
  return isEscaped(user) && /^[a-zA-Z0-9._:~!$&'()*+,;=%@-]*$/.test(user) && isHost(authority.slice(at + 1));
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) return /^\[[^\]]*\](:\d*)?$/.test(host);
  if (!/^[^:[\]]*(:\d*)?$/.test(host)) return false;
  // Only percent signs and characters beyond ASCII may be escaped.
  if (/%(?!25|[89a-fA-F][0-9a-fA-F])/.test(host)) return false;
  return /^[a-zA-Z0-9._~!$&'()*+,;=:<>"%\u0080-\u{10ffff}-]*$/u.test(host);
}
