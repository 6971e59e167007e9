import { ParseError } from '@apiserver/apimachinery/text';
import type { FlagTarget, FlagValue } from '@apiserver/component-base/flags';

/** The files of a pair, and its names. */
export interface NamedCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  /** Empty: the names in the certificate. */
  readonly names: readonly string[];
}

/**
 * Repeatable `CERT,KEY` or `CERT,KEY:NAME,NAME`: the first occurrence replaces the default.
 * Upstream: NamedCertKeyArray of k8s.io/component-base/cli/flag
 */
export function namedCertKeysValue(target: FlagTarget<readonly NamedCertKey[]>): FlagValue {
  let given = false;
  return {
    typeName: 'namedCertKey',
    isBoolean: false,
    set: (text) => {
      const parsed = parseNamedCertKey(text);
      target.set(given ? [...target.get(), parsed] : [parsed]);
      given = true;
    },
    toString: () => `[${target.get().map(formatNamedCertKey).join(';')}]`,
    defaultText: '[]',
  };
}

/** Throws a ParseError with upstream's text. */
function parseNamedCertKey(text: string): NamedCertKey {
  const colon = text.indexOf(':');
  const files = (colon < 0 ? text : text.slice(0, colon)).split(',').map((file) => file.trim());
  const names = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (names === '') throw new ParseError('empty names list is not allowed');
  const [certFile = '', keyFile = '', ...more] = files;
  if (files.length < 2 || more.length > 0) {
    throw new ParseError('expected comma separated certificate and key file paths');
  }
  return { certFile, keyFile, names: names?.split(',').map((name) => name.trim()) ?? [] };
}

function formatNamedCertKey({ certFile, keyFile, names }: NamedCertKey): string {
  const files = `${certFile},${keyFile}`;
  return names.length === 0 ? files : `${files}:${names.join(',')}`;
}
