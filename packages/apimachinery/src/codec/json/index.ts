export { countMembers } from '../canonical/canonical-scalar.js';
export { sortedKeysSteps } from '../canonical/member-order.js';
export { hasMoreValues } from './count-values.js';
export { strictErrorSteps } from './exact-decoder.js';
export {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';
export {
  checkJson,
  exactJson,
  isLargeJson,
  type ParsedJson,
  parseJson,
  parseJsonSteps,
  parseJsonValue,
} from './parse-json.js';
export { parseJsonText } from './parse-json-text.js';
export { type JsonScan, scanJson } from './scan-json.js';
export { stringifyJson } from './stringify-json.js';
export { stringifyJsonSteps } from './stringify-json-steps.js';
export { type OutlineWithTypes, outlineOrValue, outlineWithTypes, typeOutline } from './type-outline.js';
