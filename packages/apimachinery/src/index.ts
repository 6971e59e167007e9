export { collectionPath, type ObjectLocation, objectPath } from './resource-path.js';
export {
  formatGroupResource,
  formatGroupVersion,
  formatGroupVersionKind,
  formatGroupVersionResource,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  groupVersionPath,
  tryParseGroupVersion,
} from './types/group-version.js';
export type { DeepReadonly, Json, JsonObject } from './types/json.js';
export type { LabelSelectorSpec } from './types/label-selector-spec.js';
export type { Labels } from './types/labels.js';
export {
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type KubeObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
} from './types/object-meta.js';
export {
  type CreateOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  listOptionsQuery,
  type PatchOptions,
  type Preconditions,
  type ResourceVersionMatch,
  type UpdateOptions,
} from './types/options.js';
export {
  CAUSE_FIELD_MANAGER_CONFLICT,
  CAUSE_NAMESPACE_TERMINATING,
  CAUSE_UNEXPECTED_SERVER_RESPONSE,
  type Status,
} from './types/status.js';
export type { TableColumnDefinition } from './types/table.js';
