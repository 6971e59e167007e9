export { base64Fault } from './base64.js';
export { compactJson } from './compact-json.js';
export { escapeMarkup } from './escape-markup.js';
export { hexDigit } from './hex-digit.js';
export { isParseError, ParseError } from './parse-error.js';
export { isPrintable, quote } from './quote.js';
export { quoteTime } from './quote-time.js';
export { trimSpace } from './trim-space.js';
export { uintProblem } from './uint-problem.js';
