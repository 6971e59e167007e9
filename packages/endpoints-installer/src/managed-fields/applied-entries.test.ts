import { expect, it } from 'vitest';
import { createTestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A, configMapBody } from '../testing/write-fixtures.js';
import { statesManagedFields } from './applied-entries.js';

const entry = { manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };

it.each<[boolean, unknown]>([
  [false, undefined],
  [false, null],
  [false, {}],
  [false, 'x'],
  [true, []],
  [true, [entry]],
  [true, [{ ...entry, time: '2030-01-01T00:00:00Z', subresource: 'status' }]],
  [true, [{ ...entry, manager: null, time: null, unknown: 1 }]],
  [true, [{ ...entry, fieldsV1: 'x' }]],
  [true, [{ Manager: 1 }]],
  // Upstream reads none of these lists.
  [false, [null]],
  [false, ['x']],
  [false, [[]]],
  [false, [entry, 'x']],
  [false, [{ ...entry, manager: 1 }]],
  [false, [{ ...entry, operation: true }]],
  [false, [{ ...entry, subresource: {} }]],
  [false, [{ ...entry, time: 1 }]],
  [false, [{ ...entry, time: '' }]],
  [false, [{ ...entry, time: '2030-13-01T00:00:00Z' }]],
])('is %s for %j', (expected, managedFields) => {
  const metadata = { name: 'a', ...(managedFields !== undefined && { managedFields }) };
  expect(statesManagedFields({ apiVersion: 'v1', kind: 'ConfigMap', metadata } as never)).toBe(expected);
});

// The texts are those of upstream's handlers.
it.each<[unknown, number, string | undefined]>([
  [[entry], 400, 'metadata.managedFields must be nil'],
  [
    ['x'],
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.managedFields[0]: expected map, got &{x}',
  ],
  [
    [{ ...entry, manager: 1 }],
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.managedFields[0].manager: expected string, got &value.valueUnstructured{Value:1}',
  ],
  [
    [{ ...entry, time: 'x' }],
    500,
    'failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [[null], 201, undefined],
])('an apply with the managed fields %j is a %i', async (managedFields, status, message) => {
  const response = await createTestServer().call({
    user: { name: 'u', groups: [], extra: {} },
    method: 'PATCH',
    url: `${CONFIG_MAP_A}?fieldManager=m`,
    headers: { 'Content-Type': 'application/apply-patch+yaml' },
    body: JSON.stringify(configMapBody({}, { managedFields })),
  });
  expect([response.status, JSON.parse(response.text).message]).toEqual([status, message]);
});
