import { expect, it } from 'vitest';
import { DecodedObjects } from './decoded-objects.js';

/** Holders of objects of these sizes, and what happened to the objects. */
function holders(...sizes: readonly number[]) {
  const lost: string[] = [];
  const all = sizes.map((byteLength, index) => ({
    byteLength,
    forgetObject: () => void lost.push(`forgot ${index}`),
    releaseObject: () => void lost.push(`released ${index}`),
  }));
  return { all, lost };
}

it('releases the least recently used beyond its bytes', () => {
  const { all, lost } = holders(40, 40, 20, 1);
  const decoded = new DecodedObjects(100);
  for (const holder of all.slice(0, 3)) decoded.used(holder);
  expect([decoded.bytes, lost]).toEqual([100, []]);
  for (const holder of all.filter((_, index) => index === 0 || index === 3)) decoded.used(holder);
  expect([decoded.bytes, lost]).toEqual([61, ['released 1']]);
});

it('keeps the newest, however large it is', () => {
  const { all, lost } = holders(40, 500, 10);
  const decoded = new DecodedObjects(100);
  for (const holder of all.slice(0, 2)) decoded.used(holder);
  expect([decoded.bytes, lost]).toEqual([500, ['released 0']]);
  for (const holder of all.slice(2)) decoded.used(holder);
  expect([decoded.bytes, lost]).toEqual([10, ['released 0', 'released 1']]);
});

it('drops an object once, and none that it does not hold', () => {
  const { all, lost } = holders(40, 30);
  const decoded = new DecodedObjects(100);
  for (const holder of all.slice(0, 1)) decoded.used(holder);
  for (const holder of [...all, ...all]) decoded.drop(holder);
  expect([decoded.bytes, lost]).toEqual([0, ['forgot 0']]);
});
