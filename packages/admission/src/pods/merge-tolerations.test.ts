import type { Toleration } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { areTolerationsAllowed, mergeTolerations } from './merge-tolerations.js';

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
