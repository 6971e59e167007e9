import { expect, it } from 'vitest';
import { storedWidgetDefinition } from '../testing/widget-kind.js';
import { storagePolicyOf } from './policies.js';
import { typedStorage } from './typed-storage.js';

const { atRest, writes } = typedStorage;

it('is that of a kind with a schema of its own', () => {
  expect(storagePolicyOf(storedWidgetDefinition())).toBe(typedStorage);
  expect(storagePolicyOf({ versions: [] })).toBe(typedStorage);
});

it('names an object in errors by its kind, and requires no version', () => {
  const own = { group: 'own.example.com', kind: 'Own' };
  const stated = { apiVersion: '', kind: 'Widget', metadata: {} };
  expect([writes.kindInErrors(stated, own), writes.requireVersion(stated)]).toEqual([own, undefined]);
});

it.each([
  ['name', true],
  ['namespace', true],
  ['uid', true],
  ['generateName', true],
  ['selfLink', true],
  ['generation', false],
  ['labels', false],
  ['', false],
])('writes the metadata %j before the version: %s', (name, expected) => {
  expect(atRest.comesBeforeVersion({ name, isNamed: (wanted) => wanted === name })).toBe(expected);
});

it('has no other versions at rest', () => {
  expect(atRest.unknownVersion('v9')).toEqual(new TypeError('the stored bytes are of no known version (v9)'));
});
