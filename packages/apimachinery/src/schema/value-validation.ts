/**
 * What a value of a custom resource must satisfy: the part of a structural schema that is about values and not about
 * shape. It is a tree of its own beside the Schema, because below `allOf`, `anyOf`, `oneOf` and `not` there is nothing
 * else.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema (ValueValidation), k8s.io/kube-openapi/pkg/validation/spec
 */
export interface ValueValidation {
  /** JSON types, any of which will do; absent: every type. */
  readonly types?: readonly JsonType[];
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  /** In characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression in RE2's syntax, that matches anywhere. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: ReadonlyMap<string, ValueValidation>;
  /** Of members that `properties` does not name; false: there must be none. */
  readonly additionalProperties?: ValueValidation | boolean;
  readonly items?: ValueValidation;
  readonly allOf?: readonly ValueValidation[];
  readonly anyOf?: readonly ValueValidation[];
  readonly oneOf?: readonly ValueValidation[];
  readonly not?: ValueValidation;
  /** Keys of a list of listType map: by them an update finds what an element was before. */
  readonly listMapKeys?: readonly string[];
}

export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
