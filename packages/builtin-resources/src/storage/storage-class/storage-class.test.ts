import type { StorageClass } from '@apiserver/api/storage/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { storageClasses } from './index.js';

const context = testContext({ namespace: '' });

function storageClass(fields: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    provisioner: 'example.com/disk',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...fields,
  };
}

const zone = (...values: string[]) => ({ matchLabelExpressions: [{ key: 'zone', values }] });

it.each<[string, Partial<StorageClass>, string]>([
  ['the smallest', {}, ''],
  ['upper case in the provisioner', { provisioner: 'Example.com/Disk' }, ''],
  ['no provisioner', { provisioner: '' }, 'provisioner: Required value'],
  [
    'too many parameters',
    { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, ''])) },
    'parameters: Too long: may not be more than 512 bytes',
  ],
  [
    'too large parameters',
    { parameters: { a: 'x'.repeat(256 * 1024) } },
    'parameters: Too long: may not be more than 262144 bytes',
  ],
  ['a parameter without a name', { parameters: { '': 'x' } }, 'parameters: Invalid value: "": field can not be empty.'],
  [
    'another reclaim policy',
    { reclaimPolicy: 'Recycle' },
    'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
  ],
  [
    'another binding mode',
    { volumeBindingMode: 'x' },
    'volumeBindingMode: Unsupported value: "x": supported values: "Immediate", "WaitForFirstConsumer"',
  ],
  ['distinct topologies', { allowedTopologies: [zone('a'), zone('b')] }, ''],
  [
    'equal topologies',
    { allowedTopologies: [zone('a', 'b'), zone('b', 'a')] },
    'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
  ],
  ['an empty topology', { allowedTopologies: [{}] }, 'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
  [
    'a value twice',
    { allowedTopologies: [zone('a', 'a')] },
    'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
  ],
  [
    'no values',
    { allowedTopologies: [zone()] },
    'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
  ],
])('%s', (_what, fields, message) => {
  expect(aggregateFieldErrors(storageClasses.strategy.validate(context, storageClass(fields)))).toBe(message);
});

it.each<[Partial<StorageClass>, string]>([
  [{ allowVolumeExpansion: true, mountOptions: ['ro'] }, ''],
  [{ parameters: { a: 'b' } }, 'parameters: Invalid value: {"a":"b"}: field is immutable'],
  [{ provisioner: 'other' }, 'provisioner: Invalid value: "other": field is immutable'],
  [{ reclaimPolicy: 'Retain' }, 'reclaimPolicy: Invalid value: "Retain": field is immutable'],
  [
    { provisioner: 'other', reclaimPolicy: 'Retain', parameters: { a: 'b' } },
    '[parameters: Invalid value: {"a":"b"}: field is immutable, provisioner: Invalid value: "other": field is ' +
      'immutable, reclaimPolicy: Invalid value: "Retain": field is immutable]',
  ],
  [
    { volumeBindingMode: 'WaitForFirstConsumer' },
    'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
  ],
])('changed by %j: %j', (fields, message) => {
  const errors = storageClasses.strategy.validateUpdate(context, storageClass(fields), storageClass());
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it('warns of deprecated node labels', () => {
  const key = 'failure-domain.beta.kubernetes.io/zone';
  const warned = storageClass({ allowedTopologies: [{ matchLabelExpressions: [{ key, values: ['a'] }] }] });
  expect(storageClasses.strategy.warningsOnCreate?.(context, warned)).toEqual([
    'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ]);
  expect(storageClasses.strategy.warningsOnUpdate?.(context, storageClass(), warned)).toEqual([]);
});

it('shows the default class', () => {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const shown = storageClass({ metadata: { name: 'a', annotations } });
  const now = rowTime('2030-01-01T00:01:00Z');
  expect(storageClasses.columns.map((column) => column.cell(shown, now))).toEqual([
    'a (default)',
    'example.com/disk',
    'Delete',
    'Immediate',
    false,
    '<unknown>',
  ]);
});
