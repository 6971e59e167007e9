export { ApplyConfigurationError, mergeApplyConfiguration } from './apply-configuration.js';
export { ApplyConflicts, type ConflictingFields, eachConflict } from './apply-conflicts.js';
export { copyMap } from './field-set/copy-map.js';
export { EMPTY_SET, FieldSet } from './field-set/field-set.js';
export { type MergeType, mergeTypeOfKind } from './field-set/merge-type.js';
export { printManagedPath } from './field-set/path-element.js';
export { capManagers } from './managed-fields/cap-managers.js';
export { keepManagedFieldsTimes } from './managed-fields/keep-times.js';
export {
  type ConsumableManaged,
  creatorEntry,
  decodeManagedFields,
  dropReplacedSets,
  encodeManagedFields,
  encodeManagedFieldsInSteps,
  type Managed,
  ManagedFieldsError,
  NO_MANAGERS,
  shareEntries,
} from './managed-fields/managed-entries.js';
export { managerIdentifier, parseManagerIdentifier } from './managed-fields/manager-identifier.js';
export type { VersionedSet } from './managed-fields/managers.js';
export {
  fieldPathOf,
  managedFieldsFromScale,
  managedFieldsToScale,
  type ReplicasPaths,
} from './managed-fields/scale-managed-fields.js';
export {
  type Application,
  type AppliedValue,
  type ConsumableApplication,
  type OwnedUpdate,
  type OwnedWrite,
  ownApply,
  ownApplyInSteps,
  ownUpdate,
  ownUpdateInSteps,
} from './ownership.js';
export { compareTyped, compareTypedInSteps } from './typed/compare-typed.js';
export { hasSignature, type ShapeSignature, shapeSignature, signatureText } from './typed/shape-signature.js';
export { type FieldSetHints, toFieldSet, toFieldSetInSteps } from './typed/to-field-set.js';
export { MergeTypeError } from './typed/type-errors.js';
export { ConversionFailure, type MergeContext, type TypedValue } from './typed/typed-value.js';
export { validateValue, validateValueInSteps } from './typed/validate-value.js';
