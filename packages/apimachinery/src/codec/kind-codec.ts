import type { KindSchema } from '../schema/kind-schema.js';
import type { GroupVersionKind } from '../types/group-version.js';
import type { Json } from '../types/json.js';
import type { KubeObject } from '../types/object-meta.js';
import type { FieldValidation } from '../types/options.js';
import type { DecodingSteps } from './canonical/decoding-steps.js';
import type { CheckedJson, ParsedJson } from './json/parse-json.js';
import type { YamlDocument } from './yaml/yaml-to-json.js';

/** A decoded object and what strict decoding has to say about it. */
export interface Decoded<T> {
  /**
   * The canonical object: every field that JSON always shows is there, zero values of omitempty fields are not, keys
   * are in the order in which JSON shows them. Not defaulted. Fresh on every call: the caller may change it.
   */
  readonly object: T;
  /** Upstream's texts (`unknown field "spec.x"`, `duplicate field "data.a"`), in document order; empty when mode is Ignore. */
  readonly strictErrors: readonly string[];
}

/**
 * The format in which upstream would have stored an object before it is shown. Protobuf loses empty lists: a list that
 * JSON always shows is null then.
 */
export type KeptAs = 'json' | 'protobuf';

/**
 * Everything that is compiled from a kind's schema. Compile a kind once (`compileKind`) and keep the codec: each function
 * is built on its first call and fast from then on.
 *
 * Decoders throw DecodeError with upstream's text. Encoders take any object of the kind, canonical or not, and never
 * change it; they throw a TypeError only for what is no object of the kind at all (a bug in the caller).
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
   * The same of what is stored, where servers before this one may have let pass what this one refuses: it is dropped.
   * Absent: `decodeJson` does.
   */
  decodeStored?(bytes: Uint8Array): Decoded<T>;

  /**
   * The same as `decodeJson` in steps of a few milliseconds, for bodies that would hold the event loop for too long: ask
   * `isLargeJson` first, then `checkJson`. In all it costs more than `decodeJson`.
   */
  decodeSteps(checked: CheckedJson, mode: FieldValidation): DecodingSteps<Decoded<T>>;

  /** The same from text that `parseJson` has parsed, so that a request's body is parsed once. */
  decodeParsed(parsed: ParsedJson, mode: FieldValidation): Decoded<T>;

  /**
   * Canonical object from YAML text (YAML 1.1, the first document). A duplicate key is a strict error.
   * Upstream: sigs.k8s.io/yaml
   */
  decodeYaml(bytes: Uint8Array, mode: FieldValidation): Decoded<T>;

  /** The same from YAML that `yamlToJson` has parsed, so that a request's body is parsed once. Its value is taken over. */
  fromYaml(document: YamlDocument, mode: FieldValidation): Decoded<T>;

  /**
   * Canonical object from protobuf with its envelope (`k8s\0` and runtime.Unknown), as on the wire and at rest. `maxValues`
   * bounds the work: list items, entries of maps and messages that are merged. Four other fields count as one of them.
   */
  decodeProtobuf(bytes: Uint8Array, maxValues?: number): { readonly object: T };

  /** Canonical object from a protobuf message without envelope, as it stands inside lists and watch events. */
  decodeProtobufMessage(bytes: Uint8Array): { readonly object: T };

  /**
   * Canonical object from a JSON value, as if it had come as text: what JSON and merge patches produce. The value is taken
   * over, and changed.
   */
  fromJson(value: Json, mode: FieldValidation): Decoded<T>;

  /** The same as `fromJson` in steps, for large values. */
  fromJsonSteps(value: Json, mode: FieldValidation): DecodingSteps<Decoded<T>>;

  /**
   * Canonical object from the result of `strategicMerge`. Upstream reads it by another road than JSON text, with other
   * texts for wrong types (`cannot convert int64 to string`); unknown fields are sorted.
   * Upstream: k8s.io/apimachinery/pkg/runtime/converter.go
   */
  fromUnstructured(value: Json, mode: FieldValidation): Decoded<T>;

  /** The same as `fromUnstructured` in steps, for large values. */
  fromUnstructuredSteps(value: Json, mode: FieldValidation): DecodingSteps<Decoded<T>>;

  /** The canonical form of an object that code has built or changed: a copy; unknown fields drop. */
  normalize(object: T): T;

  /**
   * What `decodeJson` makes of what `encodeJson` writes of an object, without any text: what is canonical already is the
   * object's own. Undefined where only decoding can tell.
   */
  reread(object: T, kept?: KeptAs): T | undefined;

  /** Writes the schema's declarative defaults into `object`. Hand-written defaults are the ResourceDefinition's. */
  applyDefaults(object: T): void;

  /**
   * Upstream's exact JSON: Go's escapes, sorted map keys, struct fields in order, no newline at the end. Default of `kept`:
   * json.
   */
  encodeJson(object: T, kept?: KeptAs): Uint8Array;

  /** Upstream's exact YAML: keys sorted, ends with a newline. */
  encodeYaml(object: T): Uint8Array;

  /** Upstream's exact protobuf with envelope. Throws DecodeError when the kind has no protobuf form. */
  encodeProtobuf(object: T): Uint8Array;

  /** The message alone, for lists and watch events. */
  encodeProtobufMessage(object: T): Uint8Array;

  /**
   * Strategic merge of a patch into an object of this kind, both plain JSON; the result is a new value, neither
   * canonical nor checked (hand it to `fromUnstructured`). Neither argument is changed. Throws StatusError as upstream.
   * Upstream: k8s.io/apimachinery/pkg/util/strategicpatch
   */
  strategicMerge(original: Json, patch: Json): Json;

  /** The same as `strategicMerge` in steps, for large values. */
  strategicMergeSteps(original: Json, patch: Json): DecodingSteps<Json>;
}
