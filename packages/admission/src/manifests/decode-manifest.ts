import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { readStatedKind, type StatedKind, unknownKindMessage } from '../plugin-configuration.js';
import type { ManifestKind } from './manifest-environment.js';
import { ManifestError } from './manifest-error.js';

const GROUP = 'admissionregistration.k8s.io';
const WEBHOOK_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
const POLICY_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1', 'v1alpha1']);
const LIST_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'items']);

/** A decoded object with its kind, without defaults. */
export interface DecodedManifest {
  readonly kind: ManifestKind;
  readonly object: KubeObject;
}

/** The kinds of a folder. */
export interface DecodedKinds {
  /** The kinds that the folder may have. */
  readonly kinds: readonly ManifestKind[];
  /** The source line by which upstream names the scheme of these kinds. */
  readonly scheme: string;
}

/**
 * Decodes a document strictly: an object, a list of one kind, or the items of a List, one after another. Throws an Error
 * with upstream's message.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/manifest/loader, policy/manifest/loader
 */
export function* decodeManifest(text: string, decoded: DecodedKinds): Generator<readonly DecodedManifest[], void> {
  const bytes = Buffer.from(text);
  const value = parseYaml(bytes);
  const stated = readStatedKind(value, text);
  if (stated.kind !== 'List') return yield decodeObject(stated, bytes, decoded);
  for (const item of itemsOf(value)) yield* decodeItem(item, decoded);
}

function decodeObject(stated: StatedKind, bytes: Uint8Array, decoded: DecodedKinds): readonly DecodedManifest[] {
  for (const kind of decoded.kinds) {
    const { group, version } = kind.gvk;
    if (stated.apiVersion !== `${group}/${version}`) continue;
    if (stated.kind === kind.gvk.kind) return [{ kind, object: decode(kind.schema, bytes) }];
    if (stated.kind !== `${kind.gvk.kind}List`) continue;
    const { items } = decode(kind.listSchema, bytes);
    return (items ?? []).map((object) => ({ kind, object }));
  }
  throw new ManifestError(unsupported(stated) ?? unknownKindMessage(stated, decoded.scheme));
}

function itemsOf(list: unknown): readonly unknown[] {
  const fields: Readonly<Record<string, unknown>> = Object(list);
  const unknown = Object.keys(fields).filter((name) => !LIST_FIELDS.has(name));
  if (unknown.length > 0) throw strictError(unknown.map((name) => `unknown field ${quote(name)}`));
  return Array.isArray(fields['items']) ? fields['items'] : [];
}

function decodeItem(item: unknown, decoded: DecodedKinds): Generator<readonly DecodedManifest[], void> {
  const text = stringifyJson(item);
  try {
    readStatedKind(item, text);
  } catch (error) {
    throw new ManifestError(`failed to decode list item: ${messageOf(error)}`);
  }
  return decodeManifest(text, decoded);
}

function decode<T>(schema: KindSchema<T>, bytes: Uint8Array): T {
  const { object, strictErrors } = compileKind(schema).decodeYaml(bytes, 'Strict');
  if (strictErrors.length > 0) throw strictError(strictErrors);
  return object;
}

function strictError(errors: readonly string[]): ManifestError {
  return new ManifestError(`strict decoding error: ${errors.join(', ')}`);
}

/** The message for a kind of the group that the folder may not have; undefined for other kinds. */
function unsupported({ group, version, kind }: StatedKind): string | undefined {
  if (kind === 'Status') return 'unsupported resource type *v1.Status';
  const isKnown =
    group === GROUP &&
    (/^(Validating|Mutating)WebhookConfiguration(List)?$/.test(kind)
      ? WEBHOOK_VERSIONS.has(version)
      : /^(Validating|Mutating)AdmissionPolicy(Binding)?(List)?$/.test(kind) && POLICY_VERSIONS.has(version));
  return isKnown ? `unsupported resource type *${version}.${kind}` : undefined;
}
