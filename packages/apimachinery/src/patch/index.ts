export { applyJsonPatchSteps } from './apply-json-patch.js';
export { applyMergePatch, writeMergePatchedSteps } from './apply-merge-patch.js';
export {
  applyWrittenJsonPatch,
  applyWrittenJsonPatchSteps,
  writeJsonPatchedSteps,
} from './apply-written-json-patch.js';
export {
  decodeJsonPatch,
  decodeTrustedJsonPatch,
  type JsonPatchOperation,
  jsonPatchErrorSteps,
} from './decode-json-patch.js';
export { JsonPatchFault } from './json-patch-fault.js';
