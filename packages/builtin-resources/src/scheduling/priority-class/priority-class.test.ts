import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import { isStatusError } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { RestStorage } from '@apiserver/apiserver-contracts';
import { createStore } from '@apiserver/registry-store';
import { createFakeStorage, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { priorityClasses } from './index.js';

const context = testContext({ namespace: '' });

function priorityClass(fields: Partial<PriorityClass> = {}, name = 'a'): PriorityClass {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name, uid: 'u', resourceVersion: '1' },
    preemptionPolicy: 'PreemptLowerPriority',
    ...fields,
  };
}

describe('validation', () => {
  it.each<[string, Partial<PriorityClass>, string]>([
    ['a', {}, ''],
    ['a', { value: -5, preemptionPolicy: 'Never' }, ''],
    ['a', { value: 1_000_000_000 }, ''],
    ['a', { value: 1_000_000_001 }, 'value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ['system-node-critical', { value: 2_000_001_000 }, ''],
    [
      'system-node-critical',
      { value: 1 },
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000",
    ],
    [
      'system-cluster-critical',
      { value: 2_000_000_000, globalDefault: true },
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: globalDefault of system-cluster-critical PriorityClass must be false",
    ],
    [
      'system-mine',
      {},
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
    ['a', { preemptionPolicy: '' }, 'preemptionPolicy: Required value'],
    [
      'a',
      { preemptionPolicy: 'x' },
      'preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"',
    ],
  ])('%s %j: %j', (name, fields, message) => {
    expect(aggregateFieldErrors(priorityClasses.strategy.validate(context, priorityClass(fields, name)))).toBe(message);
  });

  it('keeps value and preemption policy', () => {
    const changed = priorityClass({ value: 2, preemptionPolicy: 'Never' });
    const errors = priorityClasses.strategy.validateUpdate(context, changed, priorityClass({ value: 1 }));
    expect(aggregateFieldErrors(errors)).toBe(
      '[value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]',
    );
  });
});

it('refuses to delete system classes', async () => {
  const storage = createFakeStorage<PriorityClass>();
  const store = createStore({ definition: priorityClasses, storage, ...testStoreSources<PriorityClass>() });
  const remove = async (name: string) => {
    const response = (store as Required<RestStorage<PriorityClass>>).delete(context, name, async () => {}, {});
    const error: unknown = await response.catch((thrown: unknown) => thrown);
    return isStatusError(error) ? error.status.message : error;
  };
  expect(await remove('system-node-critical')).toBe(
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  );
  expect(await remove('a')).toBe('priorityclasses.scheduling.k8s.io "a" not found');
});

it('shows its priority', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  expect(priorityClasses.columns.map((column) => column.cell(priorityClass({ value: 7 }), now))).toEqual([
    'a',
    7,
    false,
    '<unknown>',
    'PreemptLowerPriority',
  ]);
});
