import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { unstoredObject, unstoredObjectInTurns } from './unstored-object.js';

const objectOf = (count: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '7', finalizers: Array.from({ length: count }, (_, i) => `a/${i}`) },
});

it.each([0, 3, 1_000])('knows about how long the object is: %d finalizers', (count) => {
  const object = objectOf(count);
  const { byteLength = 0, resourceVersion } = unstoredObject(object);
  const { length } = JSON.stringify(object);
  expect([resourceVersion, Math.abs(byteLength - length) < 20]).toEqual(['7', true]);
});

it('knows that a large object is large, and counts no further', () => {
  const { byteLength } = unstoredObject(objectOf(100_000));
  expect(byteLength).toBeGreaterThan(64 * 1024);
  expect(byteLength).toBeLessThan(65 * 1024);
});

it('freezes a large object in several turns', async () => {
  const large = { ...objectOf(0), data: Array.from({ length: 60_000 }, () => ({})) };
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  const { object } = await unstoredObjectInTurns(large);
  expect(hasTurned).toBe(true);
  expect([object, object.data[59_999]].every((one) => Object.isFrozen(one))).toBe(true);
});
