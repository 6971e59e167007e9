import type { KubeObject } from '@apiserver/apimachinery';
import type { Reinvocation } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { PolicyReinvocation } from './policy-reinvocation.js';

const object = (labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels },
});

/** The policies that run in a second round, after a first one in which `again` may run again and `once` may not. */
function secondRound(hasChanged: boolean, changedByOthers: boolean): readonly string[] {
  const reinvocation: Reinvocation = { isReinvoke: false, isRequested: false, values: new Map() };
  const attributes = { ...objectAttributes('pods', object({ a: '1' })), reinvocation };
  const first = new PolicyReinvocation(attributes);
  expect(['again', 'once'].filter((key) => first.runs(key))).toEqual(['again', 'once']);
  first.hasRun('again');
  first.end(hasChanged);
  expect(reinvocation.isRequested).toBe(hasChanged);
  const stored = { isReinvoke: true, isRequested: false, values: reinvocation.values };
  const changed = objectAttributes('pods', object({ a: changedByOthers ? '2' : '1' }));
  const second = new PolicyReinvocation({ ...changed, reinvocation: stored });
  return ['again', 'once'].filter((key) => second.runs(key));
}

it.each([
  ['no change', false, false, []],
  ['a change by others', false, true, ['again']],
  ['a change by a policy', true, false, ['again']],
])('after %s', (_, hasChanged, changedByOthers, expected) => {
  expect(secondRound(hasChanged, changedByOthers)).toEqual(expected);
});
