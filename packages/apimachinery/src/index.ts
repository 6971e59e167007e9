// --- types, errors, fields, selectors, validation of metadata, patches, values ---
export {
  type GenericServerResponse,
  newGenericServerResponse,
} from './errors/generic-server-response.js';
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isStoreReadError,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
} from './errors/predicates.js';
export {
  isStatusError,
  reasonForError,
  StatusError,
  statusCause,
  statusOf,
  suggestsClientDelay,
} from './errors/status-error.js';
export {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenerateNameConflict,
  newGone,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
  newUnsupportedMediaType,
} from './errors/status-factories.js';
export { aggregateFieldErrors, aggregateMessages } from './field/aggregate.js';
export {
  type FieldError,
  type FieldErrorType,
  fieldDuplicate,
  fieldErrorBody,
  fieldErrorMessage,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooFew,
  fieldTooLong,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTooShort,
  fieldTypeInvalid,
  withOrigin,
} from './field/field-error.js';
export { FieldPath } from './field/path.js';
export { OMITTED_VALUE, type PrintedAsJson, printedAsJson, printValue } from './field/print-value.js';
export { cloneJson } from './json/clone-json.js';
export { equalJson } from './json/equal-json.js';
export { freezeJson } from './json/freeze-json.js';
export { getOwn, setOwn } from './json/set-own.js';
export type { FieldRequirement, FieldSelector, Fields, FieldTransform } from './selectors/field-selector.js';
export { type LabelOperator, LabelRequirement, newLabelRequirement } from './selectors/label-requirement.js';
export {
  everythingSelector,
  type LabelSelector,
  type Labels,
  nothingSelector,
  selectorOf,
} from './selectors/label-selector.js';
export { isParseError, ParseError } from './text/parse-error.js';
export { isPrintable, quote } from './text/quote.js';
export {
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  formatGroupVersionKind,
  formatGroupVersionResource,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  groupVersionKindOf,
  parseGroupVersion,
  tryParseGroupVersion,
} from './types/group-version.js';
export type { DeepReadonly, Json, JsonArray, JsonObject } from './types/json.js';
export {
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type KubeList,
  type KubeObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  type PartialObjectMetadata,
  type PartialObjectMetadataList,
  type WatchEvent,
  type WatchEventType,
} from './types/object-meta.js';
export type {
  CreateOptions,
  DeleteOptions,
  DeletionPropagation,
  FieldValidation,
  GetOptions,
  IncludeObjectPolicy,
  ListOptions,
  PatchOptions,
  Preconditions,
  ResourceVersionMatch,
  TableOptions,
  UpdateOptions,
} from './types/options.js';
export {
  CAUSE_FIELD_MANAGER_CONFLICT,
  CAUSE_NAMESPACE_TERMINATING,
  CAUSE_RESOURCE_VERSION_TOO_LARGE,
  CAUSE_UNEXPECTED_SERVER_RESPONSE,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from './types/status.js';
export type { Table, TableColumnDefinition, TableRow, TableRowCondition } from './types/table.js';

// --- schema and codecs ---
export {
  ANY,
  BOOL,
  BYTES,
  constrained,
  DURATION,
  FIELDS_V1,
  type FieldExtras,
  type FieldTuple,
  FLOAT64,
  goNameOf,
  INLINE,
  INT_OR_STRING,
  INT32,
  INT64,
  JSON_VALUE,
  list,
  map,
  MICRO_TIME,
  named,
  OMIT_EMPTY,
  OMIT_ZERO,
  OPTIONAL,
  POINTER,
  QUANTITY,
  RAW_EXTENSION,
  schemaOr,
  STRING,
  struct,
  type StructExtras,
  TIME,
  UNKNOWN,
  wrappedList,
} from './schema/builders.js';
export { defineGroupVersion, defineKind, type KindFacts } from './schema/define-kind.js';
export type { GroupVersionSchema, KindLifecycle, KindResource, KindSchema } from './schema/kind-schema.js';
export type {
  BytesSchema,
  Constraints,
  FieldSchema,
  IntOrStringSchema,
  ListSchema,
  MapSchema,
  PatchStrategy,
  QuantitySchema,
  RawSchema,
  ScalarSchema,
  Schema,
  SchemaOrSchema,
  StructSchema,
  TimeSchema,
  UnionSchema,
  ValidationRule,
} from './schema/schema.js';
export type { Decoded, KindCodec } from './codec/kind-codec.js';
export type { ParsedJson } from './codec/parse-json.js';
