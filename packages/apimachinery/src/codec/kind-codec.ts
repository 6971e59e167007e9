import type { KindSchema } from '../schema/kind-schema.js';
import type { GroupVersionKind } from '../types/group-version.js';
import type { Json } from '../types/json.js';
import type { KubeObject } from '../types/object-meta.js';
import type { FieldValidation } from '../types/options.js';
import type { DecodingSteps } from './canonical/decoding-steps.js';
import type { CheckedJson, ParsedJson } from './json/parse-json.js';
import type { YamlDocument } from './yaml/yaml-to-json.js';

/** A decoded object with its strict decoding errors. */
export interface Decoded<T> {
  /**
   * The canonical object. Fields that JSON always shows are present, zero values of omitempty fields are not, and keys
   * are in JSON order. Not defaulted. Each call returns a new object, which the caller may change.
   */
  readonly object: T;
  /**
   * Upstream's messages (`unknown field "spec.x"`, `duplicate field "data.a"`), in document order; empty in mode
   * Ignore.
   */
  readonly strictErrors: readonly string[];
}

/**
 * The format in which upstream would have stored an object before showing it. Protobuf loses empty lists: a required
 * list becomes null.
 */
export type KeptAs = 'json' | 'protobuf';

/**
 * The functions that are compiled from a kind's schema. Compile a kind once (`compileKind`) and keep the codec: each
 * function is built on its first call and fast afterwards.
 *
 * Decoders throw DecodeError with upstream's text. Encoders take any object of the kind, canonical or not, and never
 * change it. They only throw a TypeError for a value that is not an object of the kind (a bug in the caller).
 */
export interface KindCodec<T = KubeObject> {
  readonly gvk: GroupVersionKind;
  readonly schema: KindSchema<T>;

  /**
   * Canonical object from JSON text. apiVersion and kind are decoded, not checked.
   * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/json, sigs.k8s.io/json
   */
  decodeJson(bytes: Uint8Array, mode: FieldValidation): Decoded<T>;

  /**
   * The same for a stored object: content that this server rejects but an earlier one accepted is dropped. If absent,
   * use `decodeJson`.
   */
  decodeStored?(bytes: Uint8Array): Decoded<T>;

  /** The same in steps. Present if `decodeStored` is. */
  decodeStoredSteps?(bytes: Uint8Array): DecodingSteps<Decoded<T>>;

  /**
   * The same for the output of `encodeJson` for a canonical object with its defaults: it is parsed alone. If absent, use
   * `decodeJson` and `applyDefaults`.
   */
  decodeEncoded?(bytes: Uint8Array): T;

  /** The same in steps. Present if `decodeEncoded` is. */
  decodeEncodedSteps?(bytes: Uint8Array): DecodingSteps<T>;

  /**
   * The same as `decodeJson` in steps of a few milliseconds, for bodies that would block the event loop for too long.
   * Call `isLargeJson` first, then `checkJson`. The total cost is higher than that of `decodeJson`.
   */
  decodeSteps(checked: CheckedJson, mode: FieldValidation): DecodingSteps<Decoded<T>>;

  /** The same for text that `parseJson` has parsed, so that a request's body is parsed once. */
  decodeParsed(parsed: ParsedJson, mode: FieldValidation): Decoded<T>;

  /**
   * Canonical object from YAML text (YAML 1.1, the first document). A duplicate key is a strict error.
   * Upstream: sigs.k8s.io/yaml
   */
  decodeYaml(bytes: Uint8Array, mode: FieldValidation): Decoded<T>;

  /**
   * The same for YAML that `yamlToJson` has parsed, so that a request's body is parsed once. Takes ownership of its
   * value.
   */
  fromYaml(document: YamlDocument, mode: FieldValidation): Decoded<T>;

  /**
   * Canonical object from protobuf with its envelope (`k8s\0` and runtime.Unknown), as on the wire and at rest.
   * `maxValues` bounds the work: list items, map entries and merged messages. Four other fields count as one of them.
   */
  decodeProtobuf(bytes: Uint8Array, maxValues?: number): { readonly object: T };

  /** The same in steps of a few milliseconds, for large messages. */
  decodeProtobufSteps(bytes: Uint8Array, maxValues?: number): DecodingSteps<{ readonly object: T }>;

  /** The same from a message without envelope, as inside lists and watch events. The object is of this kind. */
  decodeProtobufMessage(bytes: Uint8Array, maxValues?: number): { readonly object: T };

  /** The same as `decodeProtobufMessage` in steps, for large messages. */
  decodeProtobufMessageSteps(bytes: Uint8Array, maxValues?: number): DecodingSteps<{ readonly object: T }>;

  /**
   * Canonical object from a JSON value, as if it had come as text: for the results of JSON and merge patches. Takes
   * ownership of the value, and changes it.
   */
  fromJson(value: Json, mode: FieldValidation): Decoded<T>;

  /** The same as `fromJson` in steps, for large values. */
  fromJsonSteps(value: Json, mode: FieldValidation): DecodingSteps<Decoded<T>>;

  /**
   * Canonical object from the result of `strategicMerge`. Upstream does not read it as JSON text: messages for wrong
   * types differ (`cannot convert int64 to string`), and unknown fields are sorted.
   * Upstream: k8s.io/apimachinery/pkg/runtime/converter.go
   */
  fromUnstructured(value: Json, mode: FieldValidation): Decoded<T>;

  /**
   * The same as `fromUnstructured` in steps, for large values. An owned value becomes part of the result: the caller
   * must not use it any more.
   */
  fromUnstructuredSteps(value: Json, mode: FieldValidation, isOwned: boolean): DecodingSteps<Decoded<T>>;

  /**
   * The object that an admission patch has made of a custom resource, in steps. Nulls stay, so that validation sees
   * them, and malformed metadata is dropped; the kind may be another one. Takes ownership of the value. Kinds of Go
   * types lack this, and use `fromJsonSteps`.
   */
  fromPatchedSteps?(value: Json): DecodingSteps<T>;

  /** The canonical form of an object that code has built or changed: a copy without unknown fields. */
  normalize(object: T): T;

  /** The same of a custom resource in steps. Kinds of Go types lack this. */
  normalizeSteps?(object: T): DecodingSteps<T>;

  /**
   * The result of `decodeJson` for the output of `encodeJson`, without the text. Parts that are already canonical are
   * shared with the object. Undefined where only decoding can tell.
   */
  reread(object: T, kept?: KeptAs): T | undefined;

  /** Writes the schema's declarative defaults into `object`. The ResourceDefinition has the hand-written ones. */
  applyDefaults(object: T): void;

  /**
   * Upstream's exact JSON: Go's escapes, sorted map keys, struct fields in order, no newline at the end. Default of
   * `kept`: json.
   */
  encodeJson(object: T, kept?: KeptAs): Uint8Array;

  /** The same as `encodeJson` in steps, for large objects. */
  encodeJsonSteps(object: T, kept?: KeptAs): DecodingSteps<Uint8Array>;

  /** Upstream's exact YAML: keys sorted, ends with a newline. */
  encodeYaml(object: T): Uint8Array;

  /** Upstream's exact protobuf with envelope. Throws DecodeError when the kind has no protobuf form. */
  encodeProtobuf(object: T): Uint8Array;

  /**
   * The same for the object in JSON that this server wrote, without decoding it: the result of `encodeProtobuf` for
   * that of `decodeJson`, in mode Ignore. Undefined where only decoding can tell, so that each caller needs both ways.
   */
  protobufOfJson(json: Uint8Array): Uint8Array | undefined;

  /** The message alone, for lists and watch events. */
  encodeProtobufMessage(object: T): Uint8Array;

  /**
   * Strategic merge of a patch into an object of this kind, both plain JSON. The result is a new value, neither
   * canonical nor checked: pass it to `fromUnstructured`. Neither argument is changed. Throws StatusError as upstream.
   * Upstream: k8s.io/apimachinery/pkg/util/strategicpatch
   */
  strategicMerge(original: Json, patch: Json, opened?: (patch: Json) => void): Json;

  /** The same as `strategicMerge` in steps, for large values. */
  strategicMergeSteps(original: Json, patch: Json, opened?: (patch: Json) => void): DecodingSteps<Json>;
}
