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

/** Errors of a key of a ConfigMap or Secret. Empty if it is valid. */
export function isConfigMapKey(value: string): string[] {
  const faults: string[] = [];
  if (isLongerThan(value, 253)) faults.push(maxLengthMessage(253));
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) faults.push(CONFIG_KEY_FAULT);
  faults.push(...parentFolderFaults(value));
  return faults;
}

/** Keys become file names, so they must not leave their folder. */
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

/** Errors of the name of an environment variable under the old rule. Empty if it is valid. */
export function isEnvVarName(value: string): string[] {
  const faults = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value) ? [] : [ENV_NAME_FAULT];
  return [...faults, ...parentFolderFaults(value)];
}

/** Errors of the name of an environment variable: any printable ASCII except `=`. Empty if it is valid. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return [`environment variable name ${EMPTY_MESSAGE}`];
  const message = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]*$/.test(value) ? [] : [message];
}

/** Errors of a port number. Empty if it is valid. */
export function isValidPortNum(port: number): string[] {
  return isInRange(port, 1, 65535);
}

/** Errors of a user or group id (unsigned 32-bit). Empty if it is valid. */
export function isValidUserID(id: number): string[] {
  return isInRange(id, 0, 0xffffffff);
}

/** Errors of a number that must be between two bounds, both included. Empty if it is valid. */
export function isInRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [inclusiveRangeMessage(low, high)];
}

/** Errors of the name of a port. Empty if it is valid. */
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

/** Errors of a percentage such as `25%`. Empty if it is valid. */
export function isValidPercent(percent: string): string[] {
  return /^[0-9]+%$/.test(percent) ? [] : [PERCENT_FAULT];
}

const HEADER_FAULT = patternMessage(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);

/** Errors of the name of an HTTP header. Empty if it is valid. */
export function isHTTPHeaderName(value: string): string[] {
  return /^[-A-Za-z0-9]+$/.test(value) ? [] : [HEADER_FAULT];
}

/** The characters that upstream considers unprintable, each as `U+0007` with its offset in bytes. */
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
