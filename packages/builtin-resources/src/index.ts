/** The built-in resources of Kubernetes, one folder each. */
export { type BuiltinGroup, builtinGroups } from './builtin-groups.js';
export { ageColumn, nameColumn } from './columns/common-columns.js';
export { humanDuration } from './columns/human-duration.js';
export { configMaps } from './core/config-map/index.js';
export { namespaces } from './core/namespace/index.js';
export { ALL_VERBS, defineResource, type ResourceDeclaration } from './define-resource.js';
