import { isParseError } from '@apiserver/apimachinery/text';
import { fromByteText, unescapeBytes } from '@apiserver/apimachinery/values';

/** Upstream takes no query with more parameters. */
const MAX_PARAMETERS = 10_000;

/**
 * The parameters of a query, in bytes. Wrong parameters are left out.
 *
 * Upstream: ParseQuery of Go's net/url
 */
export function parseQuery(bytes: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  const parameters = bytes.split('&');
  if (parameters.length > MAX_PARAMETERS) return values;
  for (const parameter of parameters) {
    if (parameter === '' || parameter.includes(';')) continue;
    const equals = parameter.indexOf('=');
    const key = unescapedOf(equals < 0 ? parameter : parameter.slice(0, equals));
    const value = equals < 0 ? '' : unescapedOf(parameter.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values;
}

function unescapedOf(bytes: string): string | undefined {
  try {
    return fromByteText(unescapeBytes(bytes, 'query'));
  } catch (error) {
    if (!isParseError(error)) throw error;
    return undefined;
  }
}
