/** Header fields by lower-case name, as Node has them. */
export type JoinedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Joins a flat list of names and values into one value per name, as Node does for IncomingHttpHeaders. Repeated
 * fields are joined. For fields that may occur once, the first one counts. "set-cookie" is a list.
 */
export function joinedHeaders(raw: readonly string[]): JoinedHeaders {
  const joined: Record<string, string | readonly string[]> = Object.create(null);
  // An array, because a head may have thousands of them.
  const cookies: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    const value = raw[index + 1] as string;
    const before = joined[name];
    if (name === 'set-cookie') {
      cookies.push(value);
      joined[name] = cookies;
    } else if (before === undefined) joined[name] = value;
    else if (!comesOnce(name)) joined[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return joined;
}

/** Upstream: kSingleValueFields in node's lib/internal/http2/util.js */
function comesOnce(name: string): boolean {
  switch (name) {
    case 'access-control-allow-credentials':
    case 'access-control-max-age':
    case 'access-control-request-method':
    case 'age':
    case 'authorization':
    case 'content-encoding':
    case 'content-language':
    case 'content-length':
    case 'content-location':
    case 'content-md5':
    case 'content-range':
    case 'content-type':
    case 'date':
    case 'dnt':
    case 'etag':
    case 'expires':
    case 'from':
    case 'host':
    case 'if-match':
    case 'if-modified-since':
    case 'if-none-match':
    case 'if-range':
    case 'if-unmodified-since':
    case 'last-modified':
    case 'location':
    case 'max-forwards':
    case 'proxy-authorization':
    case 'range':
    case 'referer':
    case 'retry-after':
    case 'tk':
    case 'upgrade-insecure-requests':
    case 'user-agent':
    case 'x-content-type-options':
      return true;
    default:
      return false;
  }
}
