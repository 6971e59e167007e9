/** Building blocks of every kind: columns, scale, signers, strategies, validation of metadata. */
export { ageColumn, nameColumn } from './columns/common-columns.js';
export { defaultColumns } from './columns/created-at-column.js';
export { labelSelectorText } from './columns/label-selector-text.js';
export { limitedList } from './columns/limited-list.js';
export { column, describedColumn } from './columns/make-column.js';
export { rowTime } from './columns/row-time.js';
export { timeSince } from './columns/time-since.js';
export { defineObjectKind, type ObjectKindNames } from './define-object-kind.js';
export { ALL_VERBS, defineResource, type ResourceDeclaration } from './define-resource.js';
export { isFloat } from './json-path/compare-values.js';
export { findJsonPath, newPathBudget, type PathBudget } from './json-path/find-json-path.js';
export { type JsonPath, TypedNumber } from './json-path/json-path.js';
export { parseJsonPath } from './json-path/parse-json-path.js';
export { type ScaleRules, scaleMetadata, scaleStorage } from './scale/scale-storage.js';
export { type Scalable, type ScaleDeclaration, scaleSubresource, validateScale } from './scale/scale-subresource.js';
export { isAuthorizedForSigner } from './signers/authorized-for-signer.js';
export { equalSemantically } from './strategy/equal-semantically.js';
export { countGeneration, countSpecChange } from './strategy/generation.js';
export { type ObjectRules, objectStrategy } from './strategy/object-strategy.js';
export { restoreForStatus } from './strategy/restore-for-status.js';
export { withChecks } from './strategy/with-checks.js';
export {
  validateBuiltInObjectMeta,
  validateBuiltInObjectMetaUpdate,
  validateFinalizerIsKnown,
} from './validation/object-meta.js';
export { STORAGE_CLASS_ANNOTATION, storageClassOf } from './volumes/storage-class.js';
