import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import {
  decodeConfiguration,
  decodeInterpreted,
  type InterpretedConfiguration,
  interpretConfiguration,
  strictly,
} from '@apiserver/component-base/configuration';
import type { ManifestKind, ManifestList } from './manifest-environment.js';
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
 * Decodes a document strictly: an object, a list of one kind, or the items of a List, one after another. Throws an
 * Error with upstream's message.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/manifest/loader, policy/manifest/loader
 */
export function* decodeManifest(text: string, decoded: DecodedKinds): Generator<readonly DecodedManifest[], void> {
  const file = interpretConfiguration(Buffer.from(text));
  const isList = file.gvk.kind === 'List' && file.gvk.version !== '';
  if (!isList) return yield decodeObject(file, decoded);
  for (const item of itemsOf(file.document)) yield* decodeItem(item, decoded);
}

function decodeObject(file: InterpretedConfiguration, decoded: DecodedKinds): readonly DecodedManifest[] {
  const { gvk } = file;
  const kind = decoded.kinds.find(
    ({ gvk: own }) =>
      own.group === gvk.group && own.version === gvk.version && [own.kind, `${own.kind}List`].includes(gvk.kind),
  );
  const unusable = kind === undefined ? unsupported(gvk) : undefined;
  if (unusable !== undefined) throw new ManifestError(unusable);
  if (kind?.gvk.kind !== gvk.kind && kind !== undefined) {
    const { items } = decode<ManifestList>(file, kind.listSchema, decoded.scheme);
    return (items ?? []).map((object) => ({ kind, object }));
  }
  const object = decode<KubeObject>(file, kind?.schema, decoded.scheme);
  return kind === undefined ? [] : [{ kind, object }];
}

/** Throws a ConfigurationError for a kind without a schema. */
function decode<T>(file: InterpretedConfiguration, kind: KindSchema<T> | undefined, name: string): T {
  const kinds = kind === undefined ? [] : [{ gvk: file.gvk, schema: kind.schema }];
  return strictly(decodeInterpreted<T>(file, { kinds, name })).object;
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
    const { gvk } = interpretConfiguration(Buffer.from(text));
    if (gvk.kind === '' || gvk.version === '') {
      decodeConfiguration(Buffer.from(text), { kinds: [], name: decoded.scheme });
    }
  } catch (error) {
    throw new ManifestError(`failed to decode list item: ${messageOf(error)}`);
  }
  return decodeManifest(text, decoded);
}

function strictError(errors: readonly string[]): ManifestError {
  return new ManifestError(`strict decoding error: ${errors.join(', ')}`);
}

/** The message for a kind of the group that the folder may not have; undefined for other kinds. */
function unsupported({ group, version, kind }: GroupVersionKind): string | undefined {
  if (kind === 'Status') return 'unsupported resource type *v1.Status';
  const isKnown =
    group === GROUP &&
    (/^(Validating|Mutating)WebhookConfiguration(List)?$/.test(kind)
      ? WEBHOOK_VERSIONS.has(version)
      : /^(Validating|Mutating)AdmissionPolicy(Binding)?(List)?$/.test(kind) && POLICY_VERSIONS.has(version));
  return isKnown ? `unsupported resource type *${version}.${kind}` : undefined;
}
