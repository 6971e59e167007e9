import { expect, it } from 'vitest';
import { storedWidgetDefinition, widgetKind } from '../testing/widget-kind.js';
import { storagePolicyOf } from './policies.js';
import { structuralStorage } from './structural-storage.js';
import { typedStorage } from './typed-storage.js';

const { atRest, writes } = typedStorage;

it('is that of a kind with a schema of its own', () => {
  expect(storagePolicyOf(storedWidgetDefinition())).toBe(typedStorage);
  expect(storagePolicyOf({ versions: [] })).toBe(typedStorage);
});

it('is not that of a kind of which one version has the schema of a custom resource', () => {
  const typed = { schema: widgetKind };
  const structural = { schema: { ...widgetKind, semantics: 'structural' as const } };
  for (const versions of [[structural], [typed, structural], [structural, typed]]) {
    expect(storagePolicyOf({ versions })).toBe(structuralStorage);
  }
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
