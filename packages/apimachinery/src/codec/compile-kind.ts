import { DecodeError } from '../errors/decode-error.js';
import { cloneJson } from '../json/clone-json.js';
import { noteUncanonical } from '../json/uncanonical-lists.js';
import type { KindSchema } from '../schema/kind-schema.js';
import { type OpenedPatch, strategicMerge, strategicMergeInSteps } from '../strategic-merge/strategic-merge.js';
import { formatGroupVersion } from '../types/group-version.js';
import type { Json } from '../types/json.js';
import type { KubeObject } from '../types/object-meta.js';
import type { FieldValidation } from '../types/options.js';
import { type ApplyDefaults, defaulter } from './apply-defaults.js';
import { type CanonicalContext, NotCanonical, newContext } from './canonical/canonical-context.js';
import { canonicalizer, canonicalSteps } from './canonical/canonicalize.js';
import { type DecodingSteps, stepsWithinStack, withinStack } from './canonical/decoding-steps.js';
import { refuseDeepRaw } from './canonical/raw-depth.js';
import { checkDepth, MAX_VALUE_DEPTH } from './canonical/value-depth.js';
import { fitUnstructured, fitUnstructuredSteps } from './from-unstructured.js';
import { encodeJsonBytes, encodeJsonBytesSteps } from './json/encode-json.js';
import { decodeExact, decodeExactSteps } from './json/exact-decoder.js';
import { type CheckedJson, type ParsedJson, parseJson } from './json/parse-json.js';
import { stringifyJson } from './json/stringify-json.js';
import { stringifyJsonSteps } from './json/stringify-json-steps.js';
import type { Decoded, KeptAs, KindCodec } from './kind-codec.js';
import { decodeMessage } from './protobuf/decode-protobuf.js';
import { decodeMessageSteps } from './protobuf/decode-protobuf-steps.js';
import { encodeEnveloped, encodeMessage } from './protobuf/encode-protobuf.js';
import { type TypeMeta, unwrapUnknown } from './protobuf/protobuf-envelope.js';
import { protobufFromJson } from './protobuf/protobuf-from-json.js';
import { StructuralCodec } from './structural-codec.js';
import { encodeYaml } from './yaml/encode-yaml.js';
import { type YamlDocument, yamlToJson } from './yaml/yaml-to-json.js';

/**
 * Compiles the codec of a kind. Cheap: every function is built on its first use. The caller keeps the codec.
 */
export function compileKind<T = KubeObject>(schema: KindSchema<T>): KindCodec<T> {
  return schema.semantics === 'typed' ? new TypedCodec(schema) : new StructuralCodec(schema);
}

const NOTHING: readonly string[] = [];

class TypedCodec<T> implements KindCodec<T> {
  readonly schema: KindSchema<T>;
  readonly gvk: KindSchema<T>['gvk'];
  #applyDefaults: ApplyDefaults | undefined;

  constructor(schema: KindSchema<T>) {
    this.schema = schema;
    this.gvk = schema.gvk;
  }

  decodeJson(bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
    return this.decodeParsed(parseJson(bytes), mode);
  }

  *decodeSteps({ bytes, scan }: CheckedJson, mode: FieldValidation): DecodingSteps<Decoded<T>> {
    const steps = decodeExactSteps(bytes, this.schema.schema, mode !== 'Ignore');
    const { value, strictErrors } = yield* stepsWithinStack(steps);
    if (scan.depth > MAX_VALUE_DEPTH) checkDepth(value);
    return { object: trusted<T>(value), strictErrors };
  }

  decodeParsed(parsed: ParsedJson, mode: FieldValidation): Decoded<T> {
    const decoded = this.#decodeParsed(parsed, mode);
    if (parsed.scan.depth > MAX_VALUE_DEPTH) checkDepth(decoded.object);
    return decoded;
  }

  decodeYaml(bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
    return this.fromYaml(yamlToJson(bytes), mode);
  }

  fromYaml({ value, duplicates }: YamlDocument, mode: FieldValidation): Decoded<T> {
    const decoded = this.#fromOwnJson(value, mode);
    if (mode === 'Ignore' || duplicates === undefined) return decoded;
    return { object: decoded.object, strictErrors: [duplicates, ...decoded.strictErrors] };
  }

  fromJson(value: Json, mode: FieldValidation): Decoded<T> {
    return this.#fromOwnJson(value, mode);
  }

  *fromJsonSteps(value: Json, mode: FieldValidation): DecodingSteps<Decoded<T>> {
    const object = this.#canonical(value, mode, undefined);
    if (object !== undefined) {
      refuseDeepRaw(this.schema.schema, object);
      return { object, strictErrors: NOTHING };
    }
    yield;
    const bytes = Buffer.from(yield* stepsWithinStack(stringifyJsonSteps(value)), 'utf8');
    yield;
    const steps = decodeExactSteps(bytes, this.schema.schema, mode !== 'Ignore');
    const decoded = yield* stepsWithinStack(steps);
    refuseDeepRaw(this.schema.schema, decoded.value);
    return { object: trusted<T>(decoded.value), strictErrors: decoded.strictErrors };
  }

  fromUnstructured(value: Json, mode: FieldValidation): Decoded<T> {
    return this.#fromFitted(fitUnstructured(this.schema.schema, value), mode);
  }

  *fromUnstructuredSteps(value: Json, mode: FieldValidation, isOwned: boolean): DecodingSteps<Decoded<T>> {
    const { schema } = this.schema;
    const fitted = yield* fitUnstructuredSteps(schema, value, isOwned);
    yield;
    const object = trusted<T>(yield* canonicalSteps(schema, fitted.value, true));
    refuseDeepRaw(this.schema.schema, object);
    return { object, strictErrors: mode === 'Ignore' ? NOTHING : fitted.strictErrors };
  }

  #fromFitted(fitted: ReturnType<typeof fitUnstructured>, mode: FieldValidation): Decoded<T> {
    const context = newContext({ owned: true, lenient: true, trusted: false, keepsEmpty: true });
    const object = trusted<T>(canonicalizer(this.schema.schema)(fitted.value, context));
    refuseDeepRaw(this.schema.schema, object);
    if (context.uncanonical > 0) noteUncanonical(object);
    return { object, strictErrors: mode === 'Ignore' ? NOTHING : fitted.strictErrors };
  }

  decodeProtobuf(bytes: Uint8Array, maxValues?: number): { readonly object: T } {
    const { apiVersion, kind, raw } = unwrapUnknown(bytes);
    return { object: this.#fromMessage(raw, { kind, apiVersion }, maxValues) };
  }

  *decodeProtobufSteps(bytes: Uint8Array, maxValues?: number): DecodingSteps<{ readonly object: T }> {
    const { apiVersion, kind, raw } = unwrapUnknown(bytes);
    return { object: yield* this.#fromMessageSteps(raw, { kind, apiVersion }, maxValues) };
  }

  decodeProtobufMessage(bytes: Uint8Array, maxValues?: number): { readonly object: T } {
    return { object: this.#fromMessage(bytes, this.#typeMeta(), maxValues) };
  }

  *decodeProtobufMessageSteps(bytes: Uint8Array, maxValues?: number): DecodingSteps<{ readonly object: T }> {
    return { object: yield* this.#fromMessageSteps(bytes, this.#typeMeta(), maxValues) };
  }

  normalize(object: T): T {
    return trusted<T>(
      canonicalizer(this.schema.schema)(cloneJson(object), newContext({ owned: true, lenient: true, trusted: true })),
    );
  }

  reread(object: T, kept: KeptAs = 'json'): T | undefined {
    const asFromProtobuf = kept === 'protobuf';
    const context = newContext({ owned: false, lenient: true, trusted: false, asFromProtobuf });
    const canonical = this.#inOrder(object, context);
    return context.unordered ? undefined : canonical;
  }

  applyDefaults(object: T): void {
    this.#applyDefaults ??= defaulter(this.schema.schema);
    this.#applyDefaults(object);
  }

  encodeJson(object: T, kept: KeptAs = 'json'): Uint8Array {
    return encodeJsonBytes(this.schema.schema, object, kept === 'protobuf');
  }

  encodeJsonSteps(object: T, kept: KeptAs = 'json'): DecodingSteps<Uint8Array> {
    return encodeJsonBytesSteps(this.schema.schema, object, kept === 'protobuf');
  }

  encodeYaml(object: T): Uint8Array {
    const context = newContext({ owned: false, lenient: true, trusted: true });
    return encodeYaml(canonicalizer(this.schema.schema)(object, context));
  }

  encodeProtobuf(object: T): Uint8Array {
    const { apiVersion, kind } = object as { readonly apiVersion?: string; readonly kind?: string };
    this.#requireProtobuf();
    return encodeEnveloped(this.schema.schema, { apiVersion: apiVersion ?? '', kind: kind ?? '' }, object);
  }

  protobufOfJson(json: Uint8Array): Uint8Array | undefined {
    this.#requireProtobuf();
    return protobufFromJson(this.schema.schema, json);
  }

  encodeProtobufMessage(object: T): Uint8Array {
    this.#requireProtobuf();
    return encodeMessage(this.schema.schema, object);
  }

  strategicMerge(original: Json, patch: Json, opened?: OpenedPatch): Json {
    return strategicMerge(this.schema.schema, original, patch, opened);
  }

  strategicMergeSteps(original: Json, patch: Json, opened?: OpenedPatch): DecodingSteps<Json> {
    return strategicMergeInSteps(this.schema.schema, original, patch, opened);
  }

  #decodeParsed(parsed: ParsedJson, mode: FieldValidation): Decoded<T> {
    if (parsed.scan.odd) return this.#decodeExactly(parsed.bytes, mode);
    const object = this.#canonical(parsed.value, mode, parsed.scan.members);
    return object === undefined ? this.#decodeExactly(parsed.bytes, mode) : { object, strictErrors: NOTHING };
  }

  /** The fast decoder. Undefined for input that needs the exact decoder. */
  #canonical(value: unknown, mode: FieldValidation, members: number | undefined): T | undefined {
    const context = newContext({ owned: true, lenient: mode === 'Ignore', trusted: false, keepsEmpty: true });
    const object = this.#inOrder(value, context);
    if (object !== undefined && context.uncanonical > 0) noteUncanonical(object);
    return members === undefined || context.members === members ? object : undefined;
  }

  /** The canonical form; undefined when the value does not fit the schema. */
  #inOrder(value: unknown, context: CanonicalContext): T | undefined {
    try {
      return trusted<T>(canonicalizer(this.schema.schema)(value, context));
    } catch (error) {
      if (error instanceof NotCanonical) return undefined;
      throw error;
    }
  }

  #decodeExactly(bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
    const { value, strictErrors } = withinStack(() => decodeExact(bytes, this.schema.schema, mode !== 'Ignore'));
    return { object: trusted<T>(value), strictErrors };
  }

  #fromOwnJson(value: Json, mode: FieldValidation): Decoded<T> {
    const object = this.#canonical(value, mode, undefined);
    const decoded =
      object === undefined
        ? this.#decodeExactly(Buffer.from(stringifyJson(value), 'utf8'), mode)
        : { object, strictErrors: NOTHING };
    refuseDeepRaw(this.schema.schema, decoded.object);
    return decoded;
  }

  #typeMeta(): TypeMeta {
    return { kind: this.gvk.kind, apiVersion: formatGroupVersion(this.gvk) };
  }

  *#fromMessageSteps(bytes: Uint8Array, typeMeta: TypeMeta, maxValues?: number): DecodingSteps<T> {
    this.#requireProtobuf();
    const object = trusted<T>(yield* decodeMessageSteps(this.schema.schema, bytes, typeMeta, maxValues));
    yield;
    if (maxValues !== undefined) refuseDeepRaw(this.schema.schema, object);
    return object;
  }

  #fromMessage(bytes: Uint8Array, typeMeta: TypeMeta, maxValues?: number): T {
    this.#requireProtobuf();
    // The message has no type: the envelope has it.
    const object = trusted<T>(decodeMessage(this.schema.schema, bytes, typeMeta, maxValues));
    // Only a client's message may have raw values of any depth.
    if (maxValues !== undefined) refuseDeepRaw(this.schema.schema, object);
    return object;
  }

  #requireProtobuf(): void {
    if (this.schema.schema.protobuf) return;
    throw new DecodeError(
      'form',
      `object *${this.schema.schema.goName} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  }
}

/** The only cast from a checked value to the kind's type. */
function trusted<T>(value: unknown): T {
  return value as T;
}
