import { ipVersion } from './ip-text.js';

/**
 * Reports whether a text is a URI for a request line: a path from the root, `*`, or anything after a scheme.
 *
 * Upstream: ParseRequestURI of Go's net/url
 */
export function isRequestUri(text: string): boolean {
  if (text === '' || [...text].some((character) => character < ' ' || character === '\x7f')) return false;
  if (text === '*') return true;
  const [, scheme, after = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  const [rest = ''] = after.split('?', 1);
  if (!rest.startsWith('/')) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority, scheme) && (slash === -1 || isEscaped(rest.slice(slash)));
}

/** True if two hexadecimal digits follow every percent sign. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = at === -1 ? '' : authority.slice(0, at);
  return isEscaped(user) && /^[a-zA-Z0-9._:~!$&'()*+,;=%@-]*$/.test(user) && isHost(authority.slice(at + 1), scheme);
}

const HOST = /^[a-zA-Z0-9._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}-]*$/u;

/** A host with a port, or without. Schemes other than those of HTTP may have several, with colons between. */
function isHost(text: string, scheme: string): boolean {
  if (text.startsWith('[')) return isBracketedHost(text);
  if (text.includes('[')) return false;
  const isStrict = /^https?$/i.test(scheme);
  const colon = isStrict ? text.indexOf(':') : text.lastIndexOf(':');
  if (colon !== -1 && !isPort(text.slice(colon))) return false;
  // Only percent signs and characters beyond ASCII may be escaped.
  return !/%(?!25|[89a-fA-F][0-9a-fA-F])/.test(text) && HOST.test(text);
}

function isBracketedHost(text: string): boolean {
  const end = text.lastIndexOf(']');
  if (end === -1 || text.lastIndexOf('[') > 0 || !isPort(text.slice(end + 1))) return false;
  const host = text.slice(1, end);
  const zoneAt = host.indexOf('%25');
  if (zoneAt === -1) return ipVersion(host) === 6;
  return ipVersion(host.slice(0, zoneAt)) === 6 && isZone(host.slice(zoneAt + '%25'.length));
}

/** Escapes may stand for a percent sign, a space, or a character that needs none. */
function isZone(zone: string): boolean {
  const unescaped = zone.replace(/%([0-7][0-9a-fA-F])/g, (_, digits) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return character === ' ' || character === '%' ? 'x' : character;
  });
  return zone !== '' && !unescaped.includes('%') && HOST.test(unescaped);
}

function isPort(text: string): boolean {
  return /^(?::\d*)?$/.test(text);
}
