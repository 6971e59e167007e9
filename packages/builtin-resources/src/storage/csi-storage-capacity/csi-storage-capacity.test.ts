import type { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { csiStorageCapacities } from './index.js';

const context = testContext({ namespace: 'ns' });
const { strategy, columns } = csiStorageCapacities;

function storageCapacity(fields: Partial<CSIStorageCapacity> = {}): CSIStorageCapacity {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    storageClassName: 'fast',
    ...fields,
  };
}

const INVALID = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['no label'] }] };

it.each<[string, Partial<CSIStorageCapacity>, RegExp]>([
  ['the smallest', {}, /^$/],
  ['everything', { nodeTopology: { matchLabels: { zone: 'a' } }, capacity: '0', maximumVolumeSize: '1Gi' }, /^$/],
  ['no class', { storageClassName: '' }, /^storageClassName: Invalid value: ""/],
  ['a negative capacity', { capacity: '-1' }, /^capacity: Invalid value: "-1": must be greater than or equal to 0$/],
  [
    'an invalid label value',
    { nodeTopology: INVALID },
    /^nodeTopology.matchExpressions\[0\].values\[0\]: Invalid value/,
  ],
])('%s', (_what, fields, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, storageCapacity(fields)))).toMatch(message);
});

it.each<[string, Partial<CSIStorageCapacity>, Partial<CSIStorageCapacity>, string]>([
  ['another capacity', { capacity: '1Gi' }, {}, ''],
  ['an existing fault', { nodeTopology: INVALID, capacity: '1Gi' }, { nodeTopology: INVALID }, ''],
  [
    'an invalid label value of a topology with another fault',
    { nodeTopology: { matchLabels: { zone: 'a' }, ...INVALID } },
    { nodeTopology: { matchLabels: { 'no label': 'a' } } },
    `nodeTopology: Invalid value: {"matchLabels":{"zone":"a"},"matchExpressions":[{"key":"zone","operator":"In","values":["no label"]}]}: field is immutable`,
  ],
  ['no topology', {}, { nodeTopology: {} }, 'nodeTopology: Invalid value: null: field is immutable'],
  ['another class', { storageClassName: 's' }, {}, 'storageClassName: Invalid value: "s": field is immutable'],
])('updated by %s', (_what, fields, old, message) => {
  const errors = strategy.validateUpdate(context, storageCapacity(fields), storageCapacity(old));
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it('warns of deprecated node labels', () => {
  const label = 'beta.kubernetes.io/os';
  const nodeTopology = { matchLabels: { [label]: 'linux' }, matchExpressions: [{ key: label, operator: 'Exists' }] };
  const instead = 'deprecated since v1.14; use "kubernetes.io/os" instead';
  expect(strategy.warningsOnCreate?.(context, storageCapacity({ nodeTopology }))).toEqual([
    `nodeTopology.matchExpressions[0].key: ${label} is ${instead}`,
    `nodeTopology.matchLabels.beta.kubernetes.io/os: ${instead}`,
  ]);
});

it('shows class and capacity', () => {
  const cells = (fields: Partial<CSIStorageCapacity>) =>
    columns.map((column) => column.cell(storageCapacity(fields), rowTime(0)));
  expect(cells({})).toEqual(['a', 'fast', '<unset>']);
  expect(cells({ capacity: '1Gi' })).toEqual(['a', 'fast', '1Gi']);
});
