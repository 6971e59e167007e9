import { Buffer } from 'node:buffer';
import { tryParseGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import type { KindSchema, StructSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { ConfigurationError } from './plugin-definition.js';

/** The kind of a plugin's configuration. All versions have the same fields. */
export interface ConfigurationKind {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
  /** With the fields `kind` and `apiVersion`. */
  readonly schema: StructSchema;
  /** The source line by which upstream names the scheme of these kinds. */
  readonly scheme: string;
}

/**
 * Decodes a plugin's part of the admission configuration strictly, without defaults. Throws a ConfigurationError with upstream's
 * messages for another kind and for unknown or wrong fields.
 * Upstream: runtime.Decode with serializer.EnableStrict
 */
export function decodeConfiguration<T>(configuration: unknown, wanted: ConfigurationKind): T {
  checkKind(configuration, wanted);
  const { group, versions, kind, schema } = wanted;
  const [version = ''] = versions;
  const described: KindSchema<T> = { gvk: { group, version, kind }, schema, semantics: 'typed' };
  const bytes = Buffer.from(stringifyJson(configuration));
  const { object, strictErrors } = compileKind(described).decodeJson(bytes, 'Strict');
  if (strictErrors.length > 0) throw new ConfigurationError(`strict decoding error: ${strictErrors.join(', ')}`);
  return object;
}

function checkKind(configuration: unknown, { group, versions, kind, scheme }: ConfigurationKind): void {
  const stated: Readonly<Record<string, unknown>> = Object(configuration);
  const statedKind = textOf(stated.kind, 'kind');
  const statedVersion = textOf(stated.apiVersion, 'apiVersion');
  if (tryParseGroupVersion(statedVersion) === undefined) {
    throw new ConfigurationError(`unexpected GroupVersion string: ${statedVersion}`);
  }
  const missing = statedKind === '' ? 'Kind' : statedVersion === '' ? 'apiVersion' : undefined;
  if (missing !== undefined)
    throw new ConfigurationError(`Object '${missing}' is missing in '${stringifyJson(configuration)}'`);
  if (statedKind === kind && versions.some((version) => statedVersion === `${group}/${version}`)) return;
  throw new ConfigurationError(
    `no kind ${quote(statedKind)} is registered for version ${quote(statedVersion)} in scheme ${quote(scheme)}`,
  );
}

function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new ConfigurationError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field .${field} of type string`,
  );
}

/** The type of a value in the words of Go's JSON decoder. */
function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
