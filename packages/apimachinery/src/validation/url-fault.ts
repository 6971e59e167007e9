const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
/** Characters allowed in a host besides letters, digits and escapes. Upstream: net/url shouldEscape (encodeHost) */
const HOST = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]*$/u;

const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

/**
 * Go's error for an invalid URL; undefined for a valid one.
 * Upstream: net/url.Parse
 */
export function urlFault(text: string): string | undefined {
  if ([...text].some((character) => character < ' ' || character === '\x7f')) {
    return 'net/url: invalid control character in URL';
  }
  const [rest = ''] = text.split('#', 1);
  const colon = rest.search(/[^A-Za-z0-9+.-]/);
  if (colon === 0 && rest.startsWith(':')) return 'missing protocol scheme';
  const scheme = colon > 0 && rest[colon] === ':' && SCHEME.test(rest.slice(0, colon)) ? rest.slice(0, colon) : '';
  const [afterScheme = ''] = (scheme === '' ? rest : rest.slice(scheme.length + 1)).split('?', 1);
  if (!afterScheme.startsWith('/')) {
    // An opaque URL: the rest is not checked.
    if (scheme !== '') return undefined;
    const [segment = ''] = afterScheme.split('/', 1);
    if (segment.includes(':')) return 'first path segment in URL cannot contain colon';
  }
  const [, authority, path = afterScheme] = /^\/\/([^/]*)(.*)$/s.exec(afterScheme) ?? [];
  return (authority === undefined ? undefined : authorityFault(authority)) ?? escapeFault(path);
}

function authorityFault(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const fault = hostFault(authority.slice(at + 1));
  if (fault !== undefined || at === -1) return fault;
  const user = authority.slice(0, at);
  return USER.test(user) ? escapeFault(user) : 'net/url: invalid userinfo';
}

function hostFault(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const port = host.startsWith('[') ? host.slice(host.lastIndexOf(']') + 1) : (/:[^:]*$/.exec(host)?.[0] ?? '');
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const fault = escapeFault(host);
  if (fault !== undefined) return fault;
  const odd = [...host].find((character) => !HOST.test(character));
  return odd === undefined ? undefined : `invalid character ${JSON.stringify(odd)} in host name`;
}

function escapeFault(text: string): string | undefined {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
  return bad === undefined ? undefined : `invalid URL escape ${JSON.stringify(bad)}`;
}

/** The scheme of a valid URL in lower case; "" if it has none. */
export function schemeOf(text: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase() ?? '';
}
