import { isPrintable } from '../text/quote.js';
import {
  byteLength,
  EMPTY_MESSAGE,
  inclusiveRangeMessage,
  isLongerThan,
  maxLengthMessage,
  patternMessage,
} from './messages.js';

const CONFIG_KEY_FAULT = patternMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  ...['key.name', 'KEY_NAME', 'key-name'],
);

/** What is wrong with a key of a ConfigMap or Secret. Empty if nothing is. */
export function isConfigMapKey(value: string): string[] {
  const faults: string[] = [];
  if (isLongerThan(value, 253)) faults.push(maxLengthMessage(253));
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) faults.push(CONFIG_KEY_FAULT);
  faults.push(...parentFolderFaults(value));
  return faults;
}

/** Keys become file names, so they must not lead out of their folder. */
function parentFolderFaults(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

const ENV_NAME_FAULT = patternMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', " +
    'and must not start with a digit',
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  ...['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
);

/** What is wrong with the name of an environment variable under the old rule. Empty if nothing is. */
export function isEnvVarName(value: string): string[] {
  const faults = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value) ? [] : [ENV_NAME_FAULT];
  return [...faults, ...parentFolderFaults(value)];
}

/** What is wrong with the name of an environment variable: anything printable in ASCII but `=`. Empty if nothing is. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return [`environment variable name ${EMPTY_MESSAGE}`];
  const message = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]*$/.test(value) ? [] : [message];
}

/** What is wrong with a port number. Empty if nothing is. */
export function isValidPortNum(port: number): string[] {
  return isInRange(port, 1, 65535);
}

/** What is wrong with a user or group id (unsigned 32-bit). Empty if nothing is. */
export function isValidUserID(id: number): string[] {
  return isInRange(id, 0, 0xffffffff);
}

/** What is wrong with a number that must be between two bounds, both included. Empty if nothing is. */
export function isInRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [inclusiveRangeMessage(low, high)];
}

/** What is wrong with the name of a port. Empty if nothing is. */
export function isValidPortName(port: string): string[] {
  const faults: string[] = [];
  if (isLongerThan(port, 15)) faults.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(port)) {
    faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(port)) faults.push('must contain at least one letter (a-z)');
  if (port.includes('--')) faults.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) faults.push('must not begin or end with a hyphen');
  return faults;
}

const PERCENT_FAULT = patternMessage(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  ...['1%', '93%'],
);

/** What is wrong with a percentage such as `25%`. Empty if nothing is. */
export function isValidPercent(percent: string): string[] {
  return /^[0-9]+%$/.test(percent) ? [] : [PERCENT_FAULT];
}

const HEADER_FAULT = patternMessage(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);

/** What is wrong with the name of an HTTP header. Empty if nothing is. */
export function isHTTPHeaderName(value: string): string[] {
  return /^[-A-Za-z0-9]+$/.test(value) ? [] : [HEADER_FAULT];
}

/** The characters that upstream does not print, each as `U+0007` with its place in bytes. */
export function unprintableCharacters(text: string): { readonly code: string; readonly position: number }[] {
  if (/^[ -~]*$/.test(text)) return [];
  const found: { readonly code: string; readonly position: number }[] = [];
  let position = 0;
  for (const character of text) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    if (!isPrintable(character)) found.push({ code: `U+${code}`, position });
    position += byteLength(character);
  }
  return found;
}
