export { applyMergePatch } from './apply-merge-patch.js';
export { applyWrittenJsonPatch } from './apply-written-json-patch.js';
export { decodeJsonPatch } from './decode-json-patch.js';
