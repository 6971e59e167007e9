/**
 * The single description of an API value, for built-in and custom kinds alike. Decoding, defaulting, encoding (JSON,
 * YAML, protobuf), strategic merge and OpenAPI are all compiled from it. A Schema is immutable data. Built-in schemas
 * are generated; a custom resource's structural schema is converted to one.
 */
export type Schema =
  | ScalarSchema
  | BytesSchema
  | ListSchema
  | MapSchema
  | StructSchema
  | IntOrStringSchema
  | QuantitySchema
  | TimeSchema
  | RawSchema
  | SchemaOrSchema;

/** Constraints of any node besides its shape: OpenAPI's validation keywords that the server enforces or shows. */
export interface Constraints {
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** CEL rules (`x-kubernetes-validations`), in order. */
  readonly validations?: readonly ValidationRule[];
  /** Structural semantics: replaces a value that is absent, or null without being nullable. A JSON value. */
  readonly default?: unknown;
  /**
   * Structural semantics: members and items that a definition declares beside another type. A value that has them is
   * refused by its type, but first it is pruned and gets defaults.
   */
  readonly otherShapes?: { readonly object?: StructSchema | MapSchema; readonly list?: ListSchema };
}

/** One CEL rule of a node. */
interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A string, boolean or number. Integers outside ±(2^53−1) are `bigint` in the object. */
export interface ScalarSchema extends Constraints {
  readonly type: 'string' | 'bool' | 'int32' | 'int64' | 'float64';
  /** The type's name in decode errors: `int32`, `v1.Protocol`. */
  readonly goName: string;
  /** Definition name of a named string type, in OpenAPI's spelling; only for types whose values are listed. */
  readonly name?: string;
}

/** Bytes: base64 text (standard alphabet, padded) in the object, in JSON and in YAML. */
export interface BytesSchema extends Constraints {
  readonly type: 'bytes';
  readonly goName: string;
  /** Only shown in OpenAPI: elsewhere bytes are one value. */
  readonly listType?: 'atomic';
}

/** A list. `keys` is for listType `map`. */
export interface ListSchema extends Constraints {
  readonly type: 'list';
  readonly goName: string;
  readonly element: Schema;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  /** True for a named list type, which protobuf wraps in a message of its own (`repeated items = 1`). */
  readonly wrapped?: boolean;
  /** Structural semantics: its items, and the items of lists in it, keep undeclared fields. */
  readonly preserveUnknownFields?: boolean;
}

/** A map from strings. Keys are data: `__proto__` is an ordinary key. */
export interface MapSchema extends Constraints {
  readonly type: 'map';
  readonly goName: string;
  readonly element: Schema;
  readonly mapType?: 'atomic' | 'granular';
  /** Structural semantics: only server-side apply takes notice. */
  readonly preserveUnknownFields?: boolean;
}

/**
 * A struct. `fields` is in declaration order, which is the order of JSON. It is built on first use, so that a struct
 * may contain itself and unused kinds cost nothing.
 */
export interface StructSchema extends Constraints {
  readonly type: 'struct';
  /** Definition name: `io.k8s.api.core.v1.ConfigMap`. */
  readonly name: string;
  /** `v1.ConfigMap`. */
  readonly goName: string;
  readonly fields: readonly FieldSchema[];
  readonly mapType?: 'atomic' | 'granular';
  /** False: the type has no protobuf form (Table, discovery documents of v2). */
  readonly protobuf: boolean;
  readonly unions?: readonly UnionSchema[];
  /** Structural semantics: keeps undeclared fields. */
  readonly preserveUnknownFields?: boolean;
  /** Structural semantics: the schema has no type, so a value may be no object. */
  readonly isAnyType?: boolean;
  /** Structural semantics: an object with its own apiVersion, kind and metadata. */
  readonly embeddedResource?: boolean;
  /** Structural semantics: the definition's schema of an embedded resource's metadata, for its defaults. */
  readonly declaredMetadata?: Schema;
  /** Structural semantics: undeclared fields are allowed, but not kept inside (`additionalProperties: true`). */
  readonly openFields?: boolean;
  /**
   * The OpenAPI definition of the type, if it is not derived from the fields: custom resources have their own
   * descriptions.
   */
  definition?(
    version: 'v2' | 'v3',
    describe: (definition: string, property?: string) => string | undefined,
  ): StructDefinition;
}

/** A ready OpenAPI definition. */
export interface StructDefinition {
  readonly definition: { readonly [key: string]: unknown };
  /** The structs that it refers to by name. */
  readonly references: readonly StructSchema[];
}

/** At most one of `fields` is set, and the discriminator (if there is one) selects it. */
export interface UnionSchema {
  readonly discriminator?: string;
  /** JSON field name to the discriminator's value. */
  readonly fields: Readonly<Record<string, string>>;
}

/** One field of a struct. */
export interface FieldSchema {
  /** JSON name; empty for an inline struct, whose fields replace it. */
  readonly name: string;
  readonly schema: Schema;
  readonly inline: boolean;
  /** The absent value is null and differs from the zero value. */
  readonly pointer: boolean;
  /** Not written to JSON if it is empty: false, 0, '', null or without elements. */
  readonly omitEmpty: boolean;
  /** Not written to JSON if it is the zero value of its type. */
  readonly omitZero: boolean;
  /** True if OpenAPI's `required` omits it. */
  readonly optional: boolean;
  /** Protobuf field number; 0 if the field has no protobuf form. */
  readonly proto: number;
  readonly patchStrategy?: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  /** Declarative default, a JSON value. */
  readonly default?: unknown;
  /** True if an empty list differs from an absent one while the object is in memory. */
  readonly keptWhenEmpty?: boolean;
  /** Feature gates, any of which enables the field. */
  readonly featureGates?: readonly string[];
  /** The `mapType` that the field declares instead of its type. */
  readonly mapType?: 'atomic' | 'granular';
}

/** Directives of strategic merge patch that a field declares. */
export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

/** An int32 or a string. */
export interface IntOrStringSchema extends Constraints {
  readonly type: 'intOrString';
}

/** A resource quantity, canonical text in the object. */
export interface QuantitySchema extends Constraints {
  readonly type: 'quantity';
}

/** A time as RFC 3339 text in UTC (seconds, or microseconds for `microTime`), or a duration as Go prints it. */
export interface TimeSchema extends Constraints {
  readonly type: 'time' | 'microTime' | 'duration';
}

/**
 * Any JSON value, kept unchanged. `rawExtension` may hold an object of another kind, `unknown` an encoded one,
 * `fieldsV1` a field set, `json` a literal of a CustomResourceDefinition; `any` is a bare JSON value without a protobuf
 * form. Key order is kept, except that array indexes come first in ascending order, as in every JavaScript object.
 */
export interface RawSchema extends Constraints {
  readonly type: 'rawExtension' | 'unknown' | 'fieldsV1' | 'json' | 'any';
  /** Definition name, if the type does not determine it (`json`). */
  readonly name?: string;
}

/** JSONSchemaPropsOrArray, …OrBool and …OrStringArray: a schema, or the `alternative`. */
export interface SchemaOrSchema extends Constraints {
  readonly type: 'schemaOr';
  readonly name: string;
  readonly goName: string;
  readonly alternative: 'array' | 'bool' | 'stringArray';
  readonly props: StructSchema;
}
