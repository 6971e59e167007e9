import { dns1123SubdomainFaults } from './dns-name.js';
import { EMPTY_MESSAGE, isLongerThan, maxLengthMessage, patternMessage } from './messages.js';

const KEY_PATTERN = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE_PATTERN = `(${KEY_PATTERN})?`;
const KEY = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PREFIXED_KEY =
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const VALUE = /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const MAX_LENGTH = 63;
const MAX_PREFIX = 253;
const NO_FAULTS: readonly string[] = [];

const CHARACTERS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const KEY_FAULT = patternMessage(CHARACTERS, KEY_PATTERN, 'MyName', 'my.name', '123-abc');
const VALUE_FAULT = patternMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    'and must start and end with an alphanumeric character',
  VALUE_PATTERN,
  'MyValue',
  'my_value',
  '12345',
);

/** True for a label key without faults, at a fraction of the cost of `isLabelKey`. Objects may have 100,000 keys. */
function isValidLabelKey(value: string): boolean {
  const slash = value.indexOf('/');
  if (value.length - slash - 1 > MAX_LENGTH) return false;
  return slash === -1 ? KEY.test(value) : slash <= MAX_PREFIX && PREFIXED_KEY.test(value);
}

/**
 * Errors of a label key, which is the form of many names in the API: an optional DNS subdomain and `/`, then a name of
 * at most 63 bytes. Empty if it is valid.
 *
 * Upstream: IsLabelKey in k8s.io/apimachinery/pkg/api/validate/content/kube.go
 */
export function isLabelKey(value: string): readonly string[] {
  if (isValidLabelKey(value)) return NO_FAULTS;
  const slash = value.indexOf('/');
  if (slash === -1) return labelNameFaults(value);
  if (value.indexOf('/', slash + 1) !== -1) {
    return [`a valid label key ${KEY_FAULT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  return [...labelPrefixFaults(value.slice(0, slash)), ...labelNameFaults(value.slice(slash + 1))];
}

/** The former name of isLabelKey, which most of the API still uses. */
export const isQualifiedName: (value: string) => readonly string[] = isLabelKey;

function labelPrefixFaults(prefix: string): string[] {
  if (prefix === '') return [`prefix part ${EMPTY_MESSAGE}`];
  return dns1123SubdomainFaults(prefix, 'bytes').map((fault) => `prefix part ${fault}`);
}

function labelNameFaults(name: string): string[] {
  const faults: string[] = [];
  if (name === '') faults.push(`name part ${EMPTY_MESSAGE}`);
  else if (isLongerThan(name, MAX_LENGTH)) faults.push(`name part ${maxLengthMessage(MAX_LENGTH, 'bytes')}`);
  if (!KEY.test(name)) faults.push(`name part ${KEY_FAULT}`);
  return faults;
}

/**
 * Errors of a label value. Empty if it is valid.
 *
 * Upstream: IsLabelValue in k8s.io/apimachinery/pkg/api/validate/content/kube.go
 */
export function isLabelValue(value: string): readonly string[] {
  if (value.length <= MAX_LENGTH && VALUE.test(value)) return NO_FAULTS;
  const faults: string[] = [];
  if (isLongerThan(value, MAX_LENGTH)) faults.push(maxLengthMessage(MAX_LENGTH, 'bytes'));
  if (!VALUE.test(value)) faults.push(VALUE_FAULT);
  return faults;
}

/** The former name of isLabelValue. */
export const isValidLabelValue: (value: string) => readonly string[] = isLabelValue;

/** Errors of a label key that must have a prefix, as `example.com/key`. Empty if it is valid. */
export function isPrefixedLabelKey(value: string): readonly string[] {
  const faults = isLabelKey(value);
  if (faults.length > 0) return faults;
  return value.includes('/') ? [] : ["must include a prefix (e.g. 'example.com/key')"];
}
