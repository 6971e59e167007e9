import { Buffer } from 'node:buffer';
import { formatGroupVersion, type GroupVersionKind } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { ConfigurationError, UnknownConfigurationKindError } from './configuration-error.js';
import type { ConfigurationKind, ConfigurationScheme } from './configuration-scheme.js';
import { type InterpretedConfiguration, interpretConfiguration } from './interpret-configuration.js';

/** A decoded configuration, without defaults. */
export interface DecodedConfiguration<T> {
  readonly object: T;
  readonly gvk: GroupVersionKind;
}

/** The same, decoded in spite of unknown and duplicate fields. */
export interface LenientConfiguration<T> extends DecodedConfiguration<T> {
  /** Upstream's error about such fields; undefined if there are none. */
  readonly strictError: string | undefined;
}

/**
 * Decodes a file, YAML or JSON: its kind must be one of the scheme, and unknown, duplicate and wrong fields are
 * refused. Throws a ConfigurationError with upstream's messages.
 * Upstream: serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder().Decode
 */
export function decodeConfiguration<T>(bytes: Uint8Array, scheme: ConfigurationScheme): DecodedConfiguration<T> {
  return strictly(decodeConfigurationLeniently<T>(bytes, scheme));
}

/** The same, but unknown and duplicate fields are only reported. */
export function decodeConfigurationLeniently<T>(
  bytes: Uint8Array,
  scheme: ConfigurationScheme,
): LenientConfiguration<T> {
  return decodeInterpreted<T>(interpretConfiguration(bytes, scheme.isYaml), scheme);
}

/** The same for a configuration that is a part of another file, and so already parsed. */
export function decodeConfigurationValue<T>(value: unknown, scheme: ConfigurationScheme): DecodedConfiguration<T> {
  return decodeConfiguration<T>(Buffer.from(stringifyJson(value)), scheme);
}

/**
 * The same for a file whose kind is known. `printed` is the file in errors about a missing kind; by default all of its
 * text.
 */
export function decodeInterpreted<T>(
  file: InterpretedConfiguration,
  scheme: ConfigurationScheme,
  printed?: string,
): LenientConfiguration<T> {
  const { gvk, schema } = configurationKindOf(file, scheme, printed);
  const codec = compileKind<T>({ gvk, schema, semantics: 'typed' });
  try {
    const { object, strictErrors } = file.isJson
      ? codec.decodeJson(file.bytes, 'Strict')
      : codec.decodeYaml(file.bytes, 'Strict');
    const strictError = strictErrors.length > 0 ? `strict decoding error: ${strictErrors.join(', ')}` : undefined;
    return { object, gvk, strictError };
  } catch (error) {
    throw new ConfigurationError(messageOf(error), { cause: error });
  }
}

/** The decoded configuration. Throws a ConfigurationError if it has unknown or duplicate fields. */
export function strictly<T>({ object, gvk, strictError }: LenientConfiguration<T>): DecodedConfiguration<T> {
  if (strictError !== undefined) throw new ConfigurationError(strictError);
  return { object, gvk };
}

/** Throws an UnknownConfigurationKindError with upstream's messages for a kind outside of the scheme. */
function configurationKindOf(
  file: InterpretedConfiguration,
  { kinds, name, defaultKind }: ConfigurationScheme,
  printed?: string,
): ConfigurationKind {
  const gvk = defaultKind === undefined ? file.gvk : completed(file.gvk, defaultKind);
  const missing = gvk.kind === '' ? 'Kind' : gvk.version === '' ? 'apiVersion' : undefined;
  if (missing !== undefined) {
    const text = printed ?? Buffer.from(file.bytes).toString();
    throw new UnknownConfigurationKindError(`Object '${missing}' is missing in '${text}'`);
  }
  const known = kinds.find(
    (kind) => kind.gvk.kind === gvk.kind && kind.gvk.group === gvk.group && kind.gvk.version === gvk.version,
  );
  if (known === undefined) throw new UnknownConfigurationKindError(unknownConfigurationKind(gvk, name));
  return known;
}

/** The message for a kind that is not in a scheme. Upstream: notRegisteredErr of k8s.io/apimachinery/pkg/runtime */
function unknownConfigurationKind(gvk: GroupVersionKind, scheme: string): string {
  const internal = `the internal version of group ${quote(gvk.group)}`;
  const version = gvk.version === '__internal' ? internal : `version ${quote(formatGroupVersion(gvk))}`;
  return `no kind ${quote(gvk.kind)} is registered for ${version} in scheme ${quote(scheme)}`;
}

/** Upstream: gvkWithDefaults of k8s.io/apimachinery/pkg/runtime/serializer/json */
function completed({ group, version, kind }: GroupVersionKind, byDefault: GroupVersionKind): GroupVersionKind {
  const isUnversioned = version === '' && group === '';
  return {
    kind: kind === '' ? byDefault.kind : kind,
    group: isUnversioned ? byDefault.group : group,
    version: isUnversioned || (version === '' && group === byDefault.group) ? byDefault.version : version,
  };
}
