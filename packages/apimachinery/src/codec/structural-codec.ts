import { DecodeError } from '../errors/decode-error.js';
import { cloneJson, cloneJsonSteps } from '../json/clone-json.js';
import { isMembers, type Members } from '../json/is-members.js';
import type { KindSchema } from '../schema/kind-schema.js';
import type { StructSchema } from '../schema/schema.js';
import { tryParseGroupVersion } from '../types/group-version.js';
import type { Json } from '../types/json.js';
import type { KubeObject } from '../types/object-meta.js';
import type { FieldValidation } from '../types/options.js';
import { countMembers } from './canonical/canonical-scalar.js';
import { type DecodingSteps, stepsWithinStack } from './canonical/decoding-steps.js';
import { checkDepth, MAX_VALUE_DEPTH } from './canonical/value-depth.js';
import { decodeUntyped, decodeUntypedSteps } from './json/exact-decoder.js';
import { type CheckedJson, checkJson, type ParsedJson, parseJson } from './json/parse-json.js';
import { stringifyJson } from './json/stringify-json.js';
import { stringifyJsonSteps } from './json/stringify-json-steps.js';
import type { Decoded, KindCodec } from './kind-codec.js';
import { customStructure, metadataOf } from './structural/custom-structure.js';
import { coerceEmbedded, coerceEmbeddedSteps } from './structural/embedded/coerce-embedded.js';
import { prune } from './structural/prune.js';
import { repairMetadataSteps, repairStored, repairStoredSteps } from './structural/repair-stored.js';
import { roundIntegers, roundRefusingDeep } from './structural/round-integers.js';
import { applyStructuralDefaults, dropStrayNulls } from './structural/structural-defaults.js';
import type { StructuralNode } from './structural/structural-node.js';
import { dropUnreadableSystemFields } from './structural/system-metadata.js';
import { type TypedMetadata, typedMetadata, typedMetadataSteps } from './structural/typed-metadata.js';
import { encodeYaml } from './yaml/encode-yaml.js';
import { type YamlDocument, yamlToJson } from './yaml/yaml-to-json.js';

const NOTHING: readonly string[] = [];

/** Result of reading a value. */
interface Read {
  /** The strict errors found so far. */
  readonly strictErrors?: readonly string[];
  /** True if it bypasses upstream's decoders: storage drops what they would drop. */
  readonly isUnread?: boolean;
}

/** The value of stored text, whatever the schema. Integers beyond 64 bits are doubles. */
function untyped(bytes: Uint8Array): unknown {
  const { value, scan, bytes: text } = parseJson(bytes);
  const read = scan.odd ? decodeUntyped(text, false).value : value;
  if (scan.depth > MAX_VALUE_DEPTH) checkDepth(read);
  return read;
}

/** The same in steps. */
function* untypedSteps(bytes: Uint8Array): DecodingSteps<unknown> {
  const { scan, bytes: text } = checkJson(bytes);
  yield;
  const { value } = yield* stepsWithinStack(decodeUntypedSteps(text, false));
  if (scan.depth > MAX_VALUE_DEPTH) checkDepth(value);
  return value;
}

/** The type of a kind's objects says less than its schema. */
function asObject<T>(value: unknown): T {
  return value as T;
}

function dropUnreadable(value: unknown): void {
  if (isMembers(value) && isMembers(value['metadata'])) dropUnreadableSystemFields(value['metadata']);
}

/** A value that fits its kind, but for its metadata. */
interface Fitted {
  readonly object: Members;
  readonly typed: TypedMetadata;
  /** Paths of members that are not in the schema. */
  readonly unknown: readonly string[];
}

function shaped<T>({ object, typed, unknown }: Fitted, mode: FieldValidation, { strictErrors }: Read): Decoded<T> {
  object['metadata'] = typed.metadata;
  const names = [...typed.unknown.map((name) => `metadata.${name}`), ...unknown];
  const errors = mode === 'Ignore' ? NOTHING : names.map((name) => `unknown field "${name}"`);
  return { object: asObject(object), strictErrors: [...(strictErrors ?? NOTHING), ...errors] };
}

/**
 * The codec of a custom resource: values stay as the client wrote them, as far as the schema allows; only metadata is
 * typed. JSON has sorted keys, and there is no protobuf.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go (schemaCoercingDecoder)
 */
export class StructuralCodec<T = KubeObject> implements KindCodec<T> {
  readonly schema: KindSchema<T>;
  readonly gvk: KindSchema<T>['gvk'];
  #root: StructuralNode | undefined;
  #metadata: StructSchema | undefined;

  constructor(schema: KindSchema<T>) {
    this.schema = schema;
    this.gvk = schema.gvk;
  }

  decodeJson(bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
    return this.decodeParsed(parseJson(bytes), mode);
  }

  decodeStored(bytes: Uint8Array): Decoded<T> {
    const value = untyped(bytes);
    if (isMembers(value)) repairStored(value, this.#node(), this.#metadataSchema());
    return this.#shape(value, 'Ignore');
  }

  *decodeStoredSteps(bytes: Uint8Array): DecodingSteps<Decoded<T>> {
    const value = yield* untypedSteps(bytes);
    yield;
    if (isMembers(value)) yield* repairStoredSteps(value, this.#node(), this.#metadataSchema());
    yield;
    return yield* this.#shapeSteps(value, 'Ignore');
  }

  decodeEncoded(bytes: Uint8Array): T {
    return asObject(untyped(bytes));
  }

  *decodeEncodedSteps(bytes: Uint8Array): DecodingSteps<T> {
    return asObject(yield* untypedSteps(bytes));
  }

  *decodeSteps({ bytes, scan }: CheckedJson, mode: FieldValidation): DecodingSteps<Decoded<T>> {
    const { value, strictErrors } = yield* stepsWithinStack(decodeUntypedSteps(bytes, mode !== 'Ignore'));
    if (scan.depth > MAX_VALUE_DEPTH) checkDepth(value);
    yield;
    return yield* this.#shapeSteps(value, mode, { strictErrors });
  }

  decodeParsed(parsed: ParsedJson, mode: FieldValidation): Decoded<T> {
    const { value, scan, bytes } = parsed;
    const exact = scan.odd || (mode !== 'Ignore' && countMembers(value) !== scan.members);
    const read = exact ? decodeUntyped(bytes, mode !== 'Ignore') : { value, strictErrors: NOTHING };
    if (scan.depth > MAX_VALUE_DEPTH) checkDepth(read.value);
    return this.#shape(read.value, mode, read);
  }

  decodeYaml(bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
    return this.fromYaml(yamlToJson(bytes), mode);
  }

  fromYaml({ value, duplicates }: YamlDocument, mode: FieldValidation): Decoded<T> {
    return this.#shape(roundRefusingDeep(value), mode, {
      strictErrors: duplicates === undefined || mode === 'Ignore' ? NOTHING : [duplicates],
    });
  }

  fromJson(value: Json, mode: FieldValidation): Decoded<T> {
    return this.#shape(roundRefusingDeep(value), mode);
  }

  *fromJsonSteps(value: Json, mode: FieldValidation): DecodingSteps<Decoded<T>> {
    const rounded = roundRefusingDeep(value);
    yield;
    return yield* this.#shapeSteps(rounded, mode);
  }

  /**
   * A result of server-side apply. It bypassed upstream's decoders: unknown fields stay until it is stored, and
   * forbidden nulls are rejected.
   */
  fromUnstructured(value: Json, mode: FieldValidation): Decoded<T> {
    return this.#shapeApplied(roundRefusingDeep(cloneJson(value)), mode);
  }

  *fromUnstructuredSteps(value: Json, mode: FieldValidation): DecodingSteps<Decoded<T>> {
    const copy = yield* cloneJsonSteps(value);
    yield;
    const rounded = roundRefusingDeep(copy);
    yield;
    return yield* this.#shapeAppliedSteps(rounded, mode);
  }

  /**
   * Upstream's webhooks and policies keep such an object as it is. So do these, but for metadata, which is typed as when
   * the object is stored.
   */
  *fromPatchedSteps(value: Json): DecodingSteps<T> {
    const rounded = roundRefusingDeep(value);
    yield;
    if (isMembers(rounded)) yield* repairMetadataSteps(rounded, this.#metadataSchema());
    yield;
    return (yield* this.#shapeAppliedSteps(rounded, 'Ignore')).object;
  }

  normalize(object: T): T {
    return this.#shape(roundIntegers(cloneJson(object)), 'Ignore').object;
  }

  *normalizeSteps(object: T): DecodingSteps<T> {
    const copy = yield* cloneJsonSteps(object);
    yield;
    const rounded = roundIntegers(copy);
    yield;
    return (yield* this.#shapeSteps(rounded, 'Ignore')).object;
  }

  /** Always undefined: a custom resource's schema does not determine its canonical form. */
  reread(): undefined {
    return undefined;
  }

  applyDefaults(object: T): void {
    applyStructuralDefaults(object, this.#node());
  }

  encodeJson(object: T): Uint8Array {
    return Buffer.from(stringifyJson(object), 'utf8');
  }

  *encodeJsonSteps(object: T): DecodingSteps<Uint8Array> {
    return Buffer.from(yield* stringifyJsonSteps(object), 'utf8');
  }

  encodeYaml(object: T): Uint8Array {
    return encodeYaml(object);
  }

  decodeProtobuf(): never {
    return this.#noProtobuf();
  }

  decodeProtobufSteps(): never {
    return this.#noProtobuf();
  }

  decodeProtobufMessage(): never {
    return this.#noProtobuf();
  }

  decodeProtobufMessageSteps(): never {
    return this.#noProtobuf();
  }

  encodeProtobuf(): never {
    return this.#noProtobuf();
  }

  protobufOfJson(): never {
    return this.encodeProtobuf();
  }

  encodeProtobufMessage(): never {
    return this.#noProtobuf();
  }

  /** Custom resources have no strategic merge: handlers reject its media type first. */
  strategicMerge(): never {
    throw new TypeError(`${this.gvk.kind} is a custom resource: it has no strategic merge`);
  }

  strategicMergeSteps(): never {
    return this.strategicMerge();
  }

  #shapeApplied(value: unknown, mode: FieldValidation): Decoded<T> {
    dropUnreadable(value);
    return this.#shape(value, mode, { isUnread: true });
  }

  #shapeAppliedSteps(value: unknown, mode: FieldValidation): DecodingSteps<Decoded<T>> {
    dropUnreadable(value);
    return this.#shapeSteps(value, mode, { isUnread: true });
  }

  /** Fits a value that belongs to this call to the kind. The encoder handles key order. */
  #shape(value: unknown, mode: FieldValidation, read: Read = {}): Decoded<T> {
    const object: Members = isMembers(value) ? value : {};
    const typed = typedMetadata(object['metadata'] ?? {}, this.#metadataSchema());
    const unknown = this.#isOther(object) ? NOTHING : this.#cut(object, read.isUnread === true);
    return shaped({ object, typed, unknown }, mode, read);
  }

  /** The same in steps, for large values. */
  *#shapeSteps(value: unknown, mode: FieldValidation, read: Read = {}): DecodingSteps<Decoded<T>> {
    const object: Members = isMembers(value) ? value : {};
    const typed = yield* typedMetadataSteps(object['metadata'] ?? {}, this.#metadataSchema());
    yield;
    const unknown = this.#isOther(object) ? NOTHING : yield* this.#cutSteps(object, read.isUnread === true);
    return shaped({ object, typed, unknown }, mode, read);
  }

  /** Removes members that are not in the schema. Mutates; returns their paths. */
  #cut(object: Members, isUnread: boolean): readonly string[] {
    const unknown = isUnread ? NOTHING : prune(object, this.#node());
    if (!isUnread) dropStrayNulls(object, this.#node());
    return [...unknown, ...coerceEmbedded(object, this.#node(), this.#metadataSchema())];
  }

  *#cutSteps(object: Members, isUnread: boolean): DecodingSteps<readonly string[]> {
    const unknown = isUnread ? NOTHING : prune(object, this.#node());
    yield;
    if (!isUnread) dropStrayNulls(object, this.#node());
    yield;
    return [...unknown, ...(yield* coerceEmbeddedSteps(object, this.#node(), this.#metadataSchema()))];
  }

  /** Validation rejects an object of another kind: the schema does not apply to it. */
  #isOther({ apiVersion = '', kind = this.gvk.kind }: Members): boolean {
    if (kind !== this.gvk.kind) return true;
    const named = typeof apiVersion === 'string' ? tryParseGroupVersion(apiVersion) : undefined;
    return named !== undefined && named.version !== '' && named.group !== this.gvk.group;
  }

  #node(): StructuralNode {
    this.#root ??= customStructure(this.schema.schema);
    return this.#root;
  }

  #metadataSchema(): StructSchema {
    this.#metadata ??= metadataOf(this.schema.schema);
    return this.#metadata;
  }

  #noProtobuf(): never {
    const type = 'object *unstructured.Unstructured';
    throw new DecodeError(
      'form',
      `${type} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  }
}
