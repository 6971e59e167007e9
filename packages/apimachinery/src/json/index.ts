export { cloneJson, cloneJsonSteps } from './clone-json.js';
export { type DefinedMembers, definedMembers } from './defined-members.js';
export { equalJson } from './equal-json.js';
export { ForeignValue, NilList } from './foreign-value.js';
export { freezeJson, freezeJsonSteps } from './freeze-json.js';
export { formatGoValue, goTypeOf, jsonTypeName } from './go-value.js';
export { isMembers, type Members } from './is-members.js';
export { getOwn, setOwn } from './set-own.js';
export { cloneSent, isUncanonical, keepUncanonical } from './uncanonical-lists.js';
