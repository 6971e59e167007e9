/**
 * Rules for a value of a custom resource: the part of a structural schema about values, not shape. It is a separate
 * tree beside the Schema, because `allOf`, `anyOf`, `oneOf` and `not` contain only such rules.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema (ValueValidation),
 * k8s.io/kube-openapi/pkg/validation/spec
 */
export interface ValueValidation {
  /** JSON types, any of which is allowed; absent: every type. */
  readonly types?: readonly JsonType[];
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  /** In characters, as the maximum. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression in RE2's syntax that may match anywhere. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: ReadonlyMap<string, ValueValidation>;
  /** For members that `properties` does not name; false forbids them. */
  readonly additionalProperties?: ValueValidation | boolean;
  readonly items?: ValueValidation;
  readonly allOf?: readonly ValueValidation[];
  readonly anyOf?: readonly ValueValidation[];
  readonly oneOf?: readonly ValueValidation[];
  readonly not?: ValueValidation;
  /** Keys of a list of listType map: an update uses them to match elements. */
  readonly listMapKeys?: readonly string[];
}

/** The type of a JSON value; `integer` is a number without a fraction. */
export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
