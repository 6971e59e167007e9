import { countMembers } from '../codec/canonical-scalar.js';
import { DecodeError } from '../codec/decode-error.js';
import { decodeUntyped } from '../codec/exact-decoder.js';
import type { Decoded, KindCodec } from '../codec/kind-codec.js';
import { type ParsedJson, parseJson } from '../codec/parse-json.js';
import { stringifyJson } from '../codec/stringify-json.js';
import { toYaml } from '../codec/to-yaml.js';
import { checkDepth, MAX_VALUE_DEPTH } from '../codec/value-depth.js';
import { yamlToJson } from '../codec/yaml-to-json.js';
import { cloneJson } from '../json/clone-json.js';
import type { KindSchema } from '../schema/kind-schema.js';
import type { StructSchema } from '../schema/schema.js';
import { quote } from '../text/quote.js';
import type { Json } from '../types/json.js';
import type { KubeObject } from '../types/object-meta.js';
import type { FieldValidation } from '../types/options.js';
import { coerceEmbedded } from './coerce-embedded.js';
import { prune } from './prune.js';
import { roundIntegers } from './round-integers.js';
import { applyStructuralDefaults, dropStrayNulls } from './structural-defaults.js';
import { type StructuralNode, structuralRoot } from './structural-node.js';
import { typedMetadata } from './typed-metadata.js';

type Members = { [key: string]: unknown };

const NOTHING: readonly string[] = [];

/**
 * The codec of a custom resource: values stay as the client wrote them, as far as the schema has a place for them; only
 * metadata is typed. JSON is written with sorted keys, and there is no protobuf.
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

  decodeParsed(parsed: ParsedJson, mode: FieldValidation): Decoded<T> {
    const { value, scan, bytes } = parsed;
    const exact = scan.odd || (mode !== 'Ignore' && countMembers(value) !== scan.members);
    const read = exact ? decodeUntyped(bytes, mode !== 'Ignore') : { value, strictErrors: NOTHING };
    if (scan.depth > MAX_VALUE_DEPTH) checkDepth(read.value);
    return this.#shape(read.value, mode, read.strictErrors);
  }

  decodeYaml(bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
    const { value, duplicates } = yamlToJson(bytes);
    return this.#shape(
      roundIntegers(value),
      mode,
      duplicates === undefined || mode === 'Ignore' ? NOTHING : [duplicates],
    );
  }

  fromJson(value: Json, mode: FieldValidation): Decoded<T> {
    return this.#shape(roundIntegers(value), mode, NOTHING);
  }

  fromUnstructured(value: Json, mode: FieldValidation): Decoded<T> {
    return this.fromJson(cloneJson(value), mode);
  }

  normalize(object: T): T {
    return this.#shape(roundIntegers(cloneJson(object)), 'Ignore', NOTHING).object;
  }

  /** A custom resource's schema says too little of what stands in it. */
  reread(): undefined {
    return undefined;
  }

  applyDefaults(object: T): void {
    applyStructuralDefaults(object, this.#node());
  }

  encodeJson(object: T): Uint8Array {
    return Buffer.from(stringifyJson(object), 'utf8');
  }

  encodeYaml(object: T): Uint8Array {
    return Buffer.from(toYaml(object), 'utf8');
  }

  decodeProtobuf(): never {
    return this.#noProtobuf();
  }

  decodeProtobufMessage(): never {
    return this.#noProtobuf();
  }

  encodeProtobuf(): never {
    return this.#noProtobuf();
  }

  encodeProtobufMessage(): never {
    return this.#noProtobuf();
  }

  /** Custom resources have no strategic merge: handlers refuse its media type before they come here. */
  strategicMerge(): never {
    throw new TypeError(`${this.gvk.kind} is a custom resource: it has no strategic merge`);
  }

  /** Gives a value that belongs to this call the shape of the kind. Key order is the encoder's to settle. */
  #shape(value: unknown, mode: FieldValidation, strictErrors: readonly string[]): Decoded<T> {
    const object: Members = isMembers(value) ? value : {};
    const typed = typedMetadata(object['metadata'] ?? {}, this.#metadataSchema());
    const unknown = prune(object, this.#node());
    dropStrayNulls(object, this.#node());
    const embedded = coerceEmbedded(object, this.#node(), this.#metadataSchema());
    object['metadata'] = typed.metadata;
    const names = [...typed.unknown.map((name) => `metadata.${name}`), ...unknown, ...embedded];
    const errors = mode === 'Ignore' ? NOTHING : names.map((name) => `unknown field ${quote(name)}`);
    return { object: object as T, strictErrors: [...strictErrors, ...errors] };
  }

  #node(): StructuralNode {
    this.#root ??= structuralRoot(this.schema.schema);
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

function metadataOf(schema: StructSchema): StructSchema {
  const metadata = schema.fields.find(({ name }) => name === 'metadata')?.schema;
  if (metadata?.type !== 'struct') throw new TypeError(`${schema.name} has no typed metadata`);
  return metadata;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
