import { Buffer } from 'node:buffer';
import { formatGroupVersion, type GroupVersionKind, tryParseGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { jsonTypeName } from '@apiserver/apimachinery/json';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { ConfigurationError } from './plugin-definition.js';

/** The kinds that a plugin's configuration may have. All have the same fields. */
export interface ConfigurationKinds {
  readonly kinds: readonly GroupVersionKind[];
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
export function decodeConfiguration<T>(configuration: unknown, { kinds, schema, scheme }: ConfigurationKinds): T {
  const text = stringifyJson(configuration);
  const stated = readStatedKind(configuration, text);
  const gvk = kinds.find((kind) => kind.kind === stated.kind && formatGroupVersion(kind) === stated.apiVersion);
  if (gvk === undefined) throw new ConfigurationError(unknownKindMessage(stated, scheme));
  const { object, strictErrors } = compileKind<T>({ gvk, schema, semantics: 'typed' }).decodeJson(
    Buffer.from(text),
    'Strict',
  );
  if (strictErrors.length > 0) throw new ConfigurationError(`strict decoding error: ${strictErrors.join(', ')}`);
  return object;
}

/** The kind that a value states. */
export interface StatedKind {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Reads `kind` and `apiVersion`. Throws a ConfigurationError with upstream's messages; `text` is the value in them.
 * Upstream: Interpret of k8s.io/apimachinery/pkg/runtime/serializer/json
 */
export function readStatedKind(value: unknown, text: string): StatedKind {
  const stated: Readonly<Record<string, unknown>> = Object(value);
  const kind = textOf(stated.kind, 'kind');
  const apiVersion = textOf(stated.apiVersion, 'apiVersion');
  const groupVersion = tryParseGroupVersion(apiVersion);
  if (groupVersion === undefined) throw new ConfigurationError(`unexpected GroupVersion string: ${apiVersion}`);
  const missing = kind === '' ? 'Kind' : apiVersion === '' ? 'apiVersion' : undefined;
  if (missing !== undefined) throw new ConfigurationError(`Object '${missing}' is missing in '${text}'`);
  return { apiVersion, kind, ...groupVersion };
}

/** The message for a kind that is not in a scheme. Upstream: notRegisteredErr of k8s.io/apimachinery/pkg/runtime */
export function unknownKindMessage({ kind, apiVersion }: StatedKind, scheme: string): string {
  return `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`;
}

function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new ConfigurationError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`,
  );
}
