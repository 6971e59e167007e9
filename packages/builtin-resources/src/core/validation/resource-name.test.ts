import { aggregateFieldErrors, FieldPath } from '@apiserver/apimachinery/field';
import { isExtendedResource } from '@apiserver/apimachinery/validation';
import { expect, it } from 'vitest';
import {
  isIntegerResource,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateQuotaResourceName,
  validateResourceName,
} from './resource-name.js';
import { validateResourceQuantity } from './resource-quantity.js';

const path = FieldPath.of('r');
const UNKNOWN = 'r: Invalid value: "other": must be a standard resource type or fully qualified';

it.each([
  ['cpu', '', '', ''],
  ['example.com/gpu', '', '', ''],
  ['hugepages-2Mi', '', '', ''],
  ['storage', '', 'standard resource for containers', 'standard resource for quota'],
  ['pods', '', 'standard resource for containers', ''],
  ['limits.cpu', '', 'standard resource for containers', ''],
  ['requests.example.com/gpu', '', "doesn't follow extended resource name standard", ''],
  ['other', 'fully qualified', 'for containers', 'for quota'],
])('%s: %j %j %j', (name, general, ofContainer, ofQuota) => {
  const messages = [validateResourceName, validateContainerResourceName, validateQuotaResourceName].map((validate) =>
    aggregateFieldErrors(validate(name, path)),
  );
  for (const [i, expected] of [general, ofContainer, ofQuota].entries()) {
    if (expected === '') expect(messages[i]).toBe('');
    else expect(messages[i]).toContain(expected);
  }
});

it('reports names that are neither a resource nor a quota resource', () => {
  expect(aggregateFieldErrors(validateQuotaResourceName('other', path))).toBe(
    `[${UNKNOWN}, r: Invalid value: "other": must be a standard resource for quota]`,
  );
});

it.each([
  ['cpu', '1500m', ''],
  ['pods', '1500m', 'r: Invalid value: "1500m": must be an integer'],
  ['pods', '9223372036854775807', ''],
  ['pods', '10P', ''],
  ['example.com/gpu', '500m', 'r: Invalid value: "500m": must be an integer'],
  ['pods', '3', ''],
  ['cpu', '-1', 'r: Invalid value: "-1": must be greater than or equal to 0'],
])('%s of %s: %j', (name, amount, message) => {
  expect(aggregateFieldErrors(validateResourceQuantity(name, amount, path))).toBe(message);
});

it('recognises native, integer and overcommittable resources', () => {
  const names = ['cpu', 'hugepages-2Mi', 'example.com/gpu', 'kubernetes.io/batch-cpu', 'services'];
  expect(names.map((name) => [isExtendedResource(name), isIntegerResource(name), isOvercommitAllowed(name)])).toEqual([
    [false, false, true],
    [false, false, false],
    [true, true, false],
    [false, false, true],
    [false, true, true],
  ]);
});
