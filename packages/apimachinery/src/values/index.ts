export { formatDuration, parseDuration } from './duration.js';
export type { IntOrString } from './int-or-string.js';
export { parseInt64 } from './int64.js';
export { canonicalQuantity, Quantity } from './quantity.js';
export { formatMicroTime, formatTime, parseTime, timeMilliseconds } from './time.js';
