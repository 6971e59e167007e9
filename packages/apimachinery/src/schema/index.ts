export {
  ANY,
  BOOL,
  BYTES,
  constrained,
  DURATION,
  FIELDS_V1,
  type FieldTuple,
  FLOAT64,
  INLINE,
  INT_OR_STRING,
  INT32,
  INT64,
  JSON_VALUE,
  list,
  MICRO_TIME,
  map,
  named,
  OMIT_EMPTY,
  OMIT_ZERO,
  OPTIONAL,
  POINTER,
  QUANTITY,
  RAW_EXTENSION,
  REQUIRED,
  STRING,
  schemaOr,
  struct,
  TIME,
  UNKNOWN,
  wrappedList,
} from './builders.js';
export { defineGroupVersion, defineKind } from './define-kind.js';
export { flatFields } from './flat-fields.js';
export type { GroupVersionSchema, KindLifecycle, KindSchema } from './kind-schema.js';
export type { Constraints, FieldSchema, ScalarSchema, Schema, StructDefinition, StructSchema } from './schema.js';
export type { JsonType, ValueValidation } from './value-validation.js';
