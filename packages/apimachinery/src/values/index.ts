export { isGlobalUnicast, isLinkLocalUnicast, isLoopback, isLoopbackHost, isUnspecified } from './address-kind.js';
export { type CIDR, cidrContains, formatCIDR, maskedBytes, parseCIDR } from './cidr.js';
export { formatDay, parseDay } from './day.js';
export { formatDuration, parseDuration, secondsInMilliseconds } from './duration.js';
export { parseHttpTime } from './http-time.js';
export { humanDuration } from './human-duration.js';
export type { IntOrString } from './int-or-string.js';
export { atoiFault, increment, parseInt64 } from './int64.js';
export { formatIPAddress, type IPAddress, parseIPAddress } from './ip-address.js';
export { type Address, parseAddress } from './parse-address.js';
export { canonicalQuantity, Quantity } from './quantity.js';
export { type Amounts, addAmounts, amountsOf, type ResourceList, raiseAmounts } from './resource-amounts.js';
export {
  compareSemanticVersions,
  formatSemanticVersion,
  parseLenientSemanticVersion,
  parseSemanticVersion,
  type SemanticVersion,
} from './semantic-version.js';
export { canonicalAddress, type RequestOrigin, sourceAddresses } from './source-addresses.js';
export { formatMicroTime, formatTime, parseRFC3339, parseTime, timeMilliseconds } from './time.js';
export { daysIn } from './time-layout.js';
export { type Location, loadLocation } from './time-zone/load-location.js';
export { fromByteText, toByteText } from './url/byte-text.js';
export { unescapeBytes } from './url/escape.js';
export {
  formatUrl,
  type ParsedUrl,
  parseRequestUrl,
  parseUrl,
  parseUrlReference,
  urlFault,
  withUrlPath,
} from './url/parse-url.js';
