export { CoercionError, coerceResources } from './coerce-embedded.js';
export { isUnchanged, type OldValue, oldElements, oldMember } from './correlated-value.js';
export { validateEmbeddedResources } from './embedded-resources.js';
export { validateListTypes, validateListTypesUpdate } from './list-types.js';
export { prune } from './prune.js';
export { applyStructuralDefaults, dropStrayNulls } from './structural-defaults.js';
export { type StructuralNode, structuralRoot } from './structural-node.js';
export { type ValueValidator, valueValidator } from './validate-value.js';
export { formatCheck } from './value-format.js';
