import type { Toleration } from '@apiserver/api/core/v1';
import { atOnce } from '@apiserver/apimachinery/clock';
import { equalJson } from '@apiserver/apimachinery/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as steps from './merge-tolerations.js';

type Tolerations = readonly Toleration[];
const mergeTolerations = (first: Tolerations, second: Tolerations) => atOnce(steps.mergeTolerations(first, second));
const areTolerationsAllowed = (tolerations: Tolerations, allowed: Tolerations) =>
  atOnce(steps.areTolerationsAllowed(tolerations, allowed));

const all: Toleration = { operator: 'Exists' };
const key: Toleration = { key: 'k', operator: 'Exists' };
const effect: Toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute' };
const long: Toleration = { ...effect, tolerationSeconds: 60 };
const short: Toleration = { ...effect, tolerationSeconds: 5 };
const value: Toleration = { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute' };

it.each<[Toleration, Toleration, boolean]>([
  [all, value, true],
  [key, effect, true],
  [effect, key, false],
  [effect, long, true],
  [long, effect, false],
  [long, short, true],
  [short, long, false],
  [effect, value, true],
  [value, effect, false],
  [value, { ...value, value: 'w' }, false],
  [{ key: 'k', value: 'v' }, value, true],
  [{ key: 'other', operator: 'Exists' }, key, false],
  [{ key: '', operator: 'Equal' }, key, false],
])('%j covers %j: %j', (wide, narrow, isCovered) => {
  expect(areTolerationsAllowed([narrow], [wide])).toBe(isCovered);
  expect(mergeTolerations([narrow], [wide])).toEqual(isCovered ? [wide] : mergeTolerations([narrow], [wide]));
  expect(mergeTolerations([wide], [narrow])).toHaveLength(isCovered || areTolerationsAllowed([wide], [narrow]) ? 1 : 2);
});

it.each<[string, Toleration[], Toleration[], boolean]>([
  ['no tolerations', [], [], true],
  ['tolerations of an empty list', [key], [], false],
  ['each by another one', [effect, value], [long, value, key], true],
  ['all but one', [effect, all], [key], false],
])('allows %s', (_what, tolerations, allowed, isAllowed) => {
  expect(areTolerationsAllowed(tolerations, allowed)).toBe(isAllowed);
});

it('keeps the first of several equal ones', () => {
  const first = { ...key };
  expect(mergeTolerations([first], [{ ...key }])[0]).toBe(first);
});

it('covers what a comparison of all pairs covers', () => {
  const covers = (wide: Toleration, narrow: Toleration): boolean => {
    if (equalJson(wide, narrow)) return true;
    if ((wide.key ?? '') !== (narrow.key ?? '') && (wide.key || wide.operator !== 'Exists')) return false;
    if (wide.effect && wide.effect !== narrow.effect) return false;
    if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
      if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
    }
    if (wide.operator === 'Exists') return true;
    if (wide.operator && wide.operator !== 'Equal') return false;
    return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
  };
  const merged = (all: readonly Toleration[]) => {
    const kept: Toleration[] = [];
    for (const [i, toleration] of all.entries()) {
      const isCoveredLater = all.slice(i + 1).some((one) => !equalJson(one, toleration) && covers(one, toleration));
      if (!isCoveredLater && !kept.some((one) => covers(one, toleration))) kept.push(toleration);
    }
    return kept;
  };
  const toleration: fc.Arbitrary<Toleration> = fc.record(
    {
      key: fc.constantFrom('', 'a', 'b'),
      operator: fc.constantFrom('', 'Equal', 'Exists', 'Lt'),
      value: fc.constantFrom('', 'v', 'w'),
      effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
      tolerationSeconds: fc.constantFrom(-1, 5, 60),
    },
    { requiredKeys: [] },
  );
  const list = fc.array(toleration, { maxLength: 12 });
  fc.assert(
    fc.property(list, list, (first, second) => {
      expect(mergeTolerations(first, second)).toEqual(merged([...first, ...second]));
      const isAllowed = first.every((narrow) => second.some((wide) => covers(wide, narrow)));
      expect(areTolerationsAllowed(first, second)).toBe(isAllowed);
    }),
    { numRuns: 2_000 },
  );
});
