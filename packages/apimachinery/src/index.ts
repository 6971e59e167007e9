// --- types, errors, fields, selectors, validation of metadata, patches, values ---

export { atOnce } from './clock/at-once.js';
export { type Clock, monotonicClock, systemClock } from './clock/clock.js';
export { type Deadline, Deadlines } from './clock/deadlines.js';
export { sleep } from './clock/sleep.js';
export { countMembers } from './codec/canonical-scalar.js';
export { compileKind } from './codec/compile-kind.js';
export { DecodeError, isDecodeError } from './codec/decode-error.js';
export type { DecodingSteps } from './codec/decoding-steps.js';
export { encodeYaml } from './codec/encode-yaml.js';
export { encodeWith } from './codec/kept-writer.js';
export type { Decoded, KeptAs, KindCodec } from './codec/kind-codec.js';
export {
  type CheckedJson,
  checkJson,
  exactJson,
  isLargeJson,
  type ParsedJson,
  parseJson,
  parseJsonValue,
} from './codec/parse-json.js';
export {
  isProtobufObject,
  PROTOBUF_MAGIC,
  type UnknownObject,
  unwrapUnknown,
  wrapUnknown,
} from './codec/protobuf-envelope.js';
export { stringifyJson } from './codec/stringify-json.js';
export { typeOutline } from './codec/type-outline.js';
export {
  isPlainJson,
  parseYaml,
  type YamlDocument,
  type YamlText,
  yamlToJson,
  yamlToJsonText,
} from './codec/yaml-to-json.js';
export { CappedErrors, type ErrorCap, MAX_ERROR_TEXT, MAX_ERRORS, TEXT_CAP } from './errors/capped-errors.js';
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
  failureStatus,
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
export { appendAll } from './field/append-all.js';
export { collectFieldErrors } from './field/collect-field-errors.js';
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
export { OMITTED_VALUE, type PrintedAsJson, printedAsJson, printFloat, printValue } from './field/print-value.js';
export { cloneJson } from './json/clone-json.js';
export { equalJson } from './json/equal-json.js';
export { freezeJson } from './json/freeze-json.js';
export { getOwn, setOwn } from './json/set-own.js';
export { openApiDefinitions } from './openapi/open-api-definitions.js';
export type { OpenApiOptions, OpenApiVersion } from './openapi/open-api-options.js';
export {
  applyJsonPatch,
  MAX_JSON_PATCH_COPY_BYTES,
} from './patch/apply-json-patch.js';
export { applyMergePatch } from './patch/apply-merge-patch.js';
export { applyWrittenJsonPatch } from './patch/apply-written-json-patch.js';
export {
  type DecodedJsonPatch,
  decodeJsonPatch,
  type JsonPatchOperation,
  MAX_JSON_PATCH_OPERATIONS,
} from './patch/decode-json-patch.js';
export { generateName, type RandomInt, randomNameSuffix } from './random/generate-name.js';
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
  type StructExtras,
  schemaOr,
  struct,
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
  StructDefinition,
  StructSchema,
  TimeSchema,
  UnionSchema,
  ValidationRule,
} from './schema/schema.js';
// --- structural semantics: what custom resources need beside their codec ---
export type { JsonType, ValueValidation } from './schema/value-validation.js';
export {
  everythingFieldSelector,
  type FieldRequirement,
  type FieldSelector,
  type Fields,
  type FieldTransform,
  fieldSelectorOf,
  parseFieldSelector,
} from './selectors/field-selector.js';
export { escapeFieldValue, unescapeFieldValue } from './selectors/field-value-escape.js';
export { type LabelOperator, LabelRequirement, newLabelRequirement } from './selectors/label-requirement.js';
export {
  everythingSelector,
  type LabelSelector,
  nothingSelector,
  selectorOf,
} from './selectors/label-selector.js';
export {
  type LabelSelectorRequirementSpec,
  type LabelSelectorSpec,
  labelSelectorAsSelector,
  labelSelectorFromSet,
} from './selectors/label-selector-as-selector.js';
export type { Labels } from './selectors/labels.js';
export { parseLabelSelector } from './selectors/parse-label-selector.js';
export { formatGoValue } from './strategic-merge/go-value.js';
export { strategicMerge } from './strategic-merge/strategic-merge.js';
export { CoercionError, coerceResources } from './structural/coerce-embedded.js';
export { validateEmbeddedResources } from './structural/embedded-resources.js';
export { validateListTypes } from './structural/list-types.js';
export {
  type CompilePattern,
  loadedPatternEngine,
  loadPatternEngine,
  PatternError,
} from './structural/pattern-engine.js';
export { prune } from './structural/prune.js';
export { applyStructuralDefaults, dropStrayNulls } from './structural/structural-defaults.js';
export { type StructuralNode, structuralRoot } from './structural/structural-node.js';
export { type ValueValidator, valueValidator } from './structural/validate-value.js';
export { ApplyConflicts, type ConflictingFields, eachConflict } from './structured-merge/apply-conflicts.js';
export { capManagers } from './structured-merge/cap-managers.js';
export { type Comparison, compareTyped, excludeFields, isSame } from './structured-merge/compare-typed.js';
export { copyMap } from './structured-merge/copy-map.js';
export { EMPTY_SET, type FieldEntry, FieldSet, FieldSetBuilder } from './structured-merge/field-set.js';
export { fieldsV1Of, parseFieldsV1 } from './structured-merge/fields-v1.js';
export { keepManagedFieldsTimes } from './structured-merge/keep-times.js';
export {
  creatorEntry,
  decodeManagedFields,
  encodeManagedFields,
  type Managed,
  ManagedFieldsError,
  NO_MANAGERS,
  shareEntries,
} from './structured-merge/managed-entries.js';
export {
  type ManagerIdentity,
  managerIdentifier,
  parseManagerIdentifier,
} from './structured-merge/manager-identifier.js';
export type { Managers, VersionedSet } from './structured-merge/managers.js';
export {
  DEDUCED,
  type MergeField,
  type MergeList,
  type MergeMap,
  type MergeType,
  mergeTypeOf,
  type ScalarKind,
} from './structured-merge/merge-type.js';
export { mergeTyped } from './structured-merge/merge-typed.js';
export {
  type Application,
  type AppliedValue,
  type OwnedUpdate,
  type OwnedWrite,
  ownApply,
  ownUpdate,
  ownUpdateAtOnce,
} from './structured-merge/ownership.js';
export {
  type FieldPathElements,
  fieldElement,
  keyElement,
  type PathElement,
  printFieldPath,
  valueElement,
} from './structured-merge/path-element.js';
export { extractItems, removeItems } from './structured-merge/remove-items.js';
export {
  fieldPathOf,
  managedFieldsFromScale,
  managedFieldsToScale,
  type ReplicasPaths,
} from './structured-merge/scale-managed-fields.js';
export {
  hasSignature,
  type ShapeSignature,
  shapeSignature,
  signatureText,
} from './structured-merge/shape-signature.js';
export { toFieldSet } from './structured-merge/to-field-set.js';
export { MergeTypeError } from './structured-merge/type-errors.js';
export type { MergeContext, TypedValue } from './structured-merge/typed-value.js';
export { type ValidationOptions, validateValue } from './structured-merge/validate-value.js';
export { compactJson } from './text/compact-json.js';
export { isParseError, ParseError } from './text/parse-error.js';
export { isPrintable, quote } from './text/quote.js';
export { uintProblem } from './text/uint-problem.js';
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
  type KnownStatusReason,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from './types/status.js';
export type { Table, TableColumnDefinition, TableRow, TableRowCondition } from './types/table.js';
export { TOTAL_ANNOTATION_SIZE_LIMIT, validateAnnotations } from './validation/annotations.js';
export { type Condition, validateCondition, validateConditions } from './validation/conditions.js';
export {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainWithUnderscore,
  isWildcardDNS1123Subdomain,
} from './validation/dns-name.js';
export { validateFinalizerName, validateFinalizers, validateNoNewFinalizers } from './validation/finalizers.js';
export {
  isLabelKey,
  isLabelValue,
  isPrefixedLabelKey,
  isQualifiedName,
  isValidLabelValue,
} from './validation/label.js';
export {
  type LabelSelectorValidationOptions,
  validateLabelName,
  validateLabelSelector,
  validateLabelSelectorRequirement,
  validateLabels,
} from './validation/labels.js';
export { validateFieldManager, validateManagedFields } from './validation/managed-fields.js';
export {
  byteLength,
  EMPTY_MESSAGE,
  inclusiveRangeMessage,
  maxLengthMessage,
  patternMessage,
} from './validation/messages.js';
export {
  FIELD_IMMUTABLE_MESSAGE,
  type ObjectMetaRules,
  validateImmutableField,
  validateNonnegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './validation/object-meta.js';
export {
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  type ValidateName,
  validateNamespaceName,
  validatePathSegmentName,
  validateServiceAccountName,
} from './validation/object-name.js';
export {
  type ListOptionsRules,
  validateCreateOptions,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateTableOptions,
  validateUpdateOptions,
} from './validation/options.js';
export {
  isConfigMapKey,
  isEnvVarName,
  isHTTPHeaderName,
  isInRange,
  isRelaxedEnvVarName,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
  isValidUserID,
} from './validation/other-formats.js';
export { formatDuration, parseDuration } from './values/duration.js';
export { type IntOrString, parseIntOrString, scaledIntOrPercent } from './values/int-or-string.js';
export { parseInt64 } from './values/int64.js';
export { canonicalQuantity, Quantity } from './values/quantity.js';
export type { QuantityFormat } from './values/quantity-suffix.js';
export { formatMicroTime, formatTime, parseMicroTime, parseTime, timeMilliseconds } from './values/time.js';
export {
  type CertificateRequest,
  certificateRequestFault,
  parseCertificateRequest,
} from './x509/certificate-request.js';
export {
  type DerElement,
  derTag,
  readDerElements,
  readDerString,
  readObjectIdentifier,
  readOnlyDerElement,
} from './x509/der-reader.js';
export { formatPemBlock, type PemBlock, readPemBlock, readPemBlocks } from './x509/pem-block.js';
