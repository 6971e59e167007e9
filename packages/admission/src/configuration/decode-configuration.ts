import { Buffer } from 'node:buffer';
import { formatGroupVersion, tryParseGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { ConfigurationError } from '../plugin-definition.js';

/** The kinds that a plugin's configuration may have. */
export interface ConfigurationKinds<T> {
  readonly kinds: readonly KindSchema<T>[];
  /** The name of upstream's scheme, for its message about other kinds. */
  readonly scheme: string;
}

/**
 * Decodes a plugin's part of the admission configuration strictly. Throws a ConfigurationError with upstream's text.
 * Upstream: runtime.Decode with a strict codec factory
 */
export function decodeConfiguration<T>(configuration: unknown, { kinds, scheme }: ConfigurationKinds<T>): T {
  const { apiVersion, kind } = declaredKind(configuration);
  const found = kinds.find(({ gvk }) => gvk.kind === kind && formatGroupVersion(gvk) === apiVersion);
  if (found === undefined) {
    throw new ConfigurationError(
      `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`,
    );
  }
  const { object, strictErrors } = compileKind(found).decodeJson(Buffer.from(stringifyJson(configuration)), 'Strict');
  if (strictErrors.length > 0) throw new ConfigurationError(`strict decoding error: ${strictErrors.join(', ')}`);
  return object;
}

/** Throws a ConfigurationError if the configuration does not declare a kind. */
function declaredKind(configuration: unknown): { readonly apiVersion: string; readonly kind: string } {
  const { apiVersion = '', kind = '' } = Object(configuration);
  if (tryParseGroupVersion(String(apiVersion)) === undefined) {
    throw new ConfigurationError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  const missing = [
    ['Kind', kind],
    ['apiVersion', apiVersion],
  ].find(([, value]) => value === '');
  if (missing !== undefined)
    throw new ConfigurationError(`Object '${missing[0]}' is missing in '${stringifyJson(configuration)}'`);
  return { apiVersion: String(apiVersion), kind: String(kind) };
}
