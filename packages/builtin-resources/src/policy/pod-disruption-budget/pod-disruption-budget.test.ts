import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '@apiserver/api/policy/v1';
import { aggregateFieldErrors, collectFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { podDisruptionBudgets } from './index.js';

const context = testContext();
const { strategy } = podDisruptionBudgets;

function budget(spec: PodDisruptionBudgetSpec = {}, status: PodDisruptionBudgetStatus = {}): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'a', namespace: 'ns', generation: 3 },
    spec,
    status,
  };
}

const BAD_SELECTOR = { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] };

it.each<[PodDisruptionBudgetSpec, string]>([
  [{}, ''],
  [{ minAvailable: 0, selector: {} }, ''],
  [{ maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'AlwaysAllow' }, ''],
  [{ minAvailable: -1 }, 'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
  [{ maxUnavailable: '101%' }, 'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  [
    { minAvailable: '1' },
    `spec.minAvailable: Invalid value: "1": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
  ],
  [
    { minAvailable: 1, maxUnavailable: '5%' },
    'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"5%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  ],
  [
    { unhealthyPodEvictionPolicy: 'x' },
    'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"',
  ],
])('%j: %j', (spec, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, budget(spec)))).toBe(message);
  expect(aggregateFieldErrors(strategy.validateUpdate(context, budget(spec), budget()))).toBe(message);
});

it('accepts an invalid selector only if the stored one is invalid', () => {
  const bad = budget({ selector: BAD_SELECTOR });
  expect(strategy.validate(context, bad)).toHaveLength(1);
  expect(strategy.validateUpdate(context, bad, budget())).toHaveLength(1);
  expect(strategy.validateUpdate(context, bad, budget({ selector: BAD_SELECTOR }))).toEqual([]);
});

it('accepts a stored selector with more invalid values than errors are reported', () => {
  const values = Array.from({ length: 20_000 }, () => 'bad value');
  const matchExpressions = [{ key: 'a', operator: 'In', values }];
  const bad = budget({ selector: { matchExpressions } });
  const update = (old: PodDisruptionBudget) => collectFieldErrors(() => strategy.validateUpdate(context, bad, old));
  expect([update(bad).length, update(budget()).length > 1]).toEqual([0, true]);
});

it('validates the status at its own endpoint', () => {
  const status = {
    disruptionsAllowed: -1,
    conditions: [{ type: 'a', status: 'True', reason: 'r', message: '', lastTransitionTime: null }],
  };
  const validate = podDisruptionBudgets.subresources.status?.strategy.validateUpdate;
  expect(aggregateFieldErrors(validate?.(context, budget({}, status), budget()) ?? [])).toBe(
    '[status.conditions[0].lastTransitionTime: Required value, status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0]',
  );
});

it('increments the generation for the spec, and updates spec and status separately', async () => {
  const empty = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const created = budget({}, { currentHealthy: 5 });
  await strategy.prepareForCreate?.(context, created);
  const updated = budget({ minAvailable: 1 }, { currentHealthy: 5 });
  await strategy.prepareForUpdate?.(context, updated, budget());
  const unchanged = budget();
  await strategy.prepareForUpdate?.(context, unchanged, budget());
  const status = budget({ minAvailable: 1 }, { currentHealthy: 5 });
  await podDisruptionBudgets.subresources.status?.strategy.prepareForUpdate?.(context, status, budget());
  expect(
    [created, updated, unchanged, status].map(({ metadata, ...rest }) => [metadata.generation, rest.spec, rest.status]),
  ).toEqual([
    [1, {}, empty],
    [4, { minAvailable: 1 }, {}],
    [3, {}, {}],
    [3, {}, { currentHealthy: 5 }],
  ]);
});

it('shows its bounds', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  const cells = (shown: PodDisruptionBudget) => podDisruptionBudgets.columns.map((column) => column.cell(shown, now));
  expect(cells(budget({ minAvailable: '50%' }, { disruptionsAllowed: 2 }))).toEqual([
    'a',
    '50%',
    'N/A',
    2,
    '<unknown>',
  ]);
  expect(cells(budget({ maxUnavailable: 1 }))).toEqual(['a', 'N/A', '1', 0, '<unknown>']);
});
