import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { INT32, OMIT_EMPTY } from '@apiserver/apimachinery/schema';
import { expect, it } from 'vitest';
import { defineObjectKind } from './define-object-kind.js';
import { defineResource } from './define-resource.js';
import { objectStrategy } from './strategy/object-strategy.js';

interface Shoal extends KubeObject {
  size?: number;
}
const names = {
  group: 'sea.example.com',
  version: 'v1',
  kind: 'Shoal',
  plural: 'shoals',
  scope: 'Cluster',
  definitionPackage: 'com.example.sea.v1',
} as const;
const schema = defineObjectKind<Shoal>(names, () => [['size', 2, INT32, OMIT_EMPTY]]);

it("decodes type, metadata and the kind's own fields", () => {
  const shoal = { apiVersion: 'sea.example.com/v1', kind: 'Shoal', metadata: { name: 'herring' }, size: 3 };
  const { object } = compileKind(schema).decodeJson(
    Buffer.from(JSON.stringify({ ...shoal, colour: 'silver' })),
    'Ignore',
  );
  expect(object).toEqual(shoal);
});

it('names the resource of the kind', () => {
  const strategy = objectStrategy<Shoal>({ namespaced: false });
  const { group, resource, listKind, scope, verbs } = defineResource({ versions: [{ schema }], strategy, columns: [] });
  expect({ group, resource, listKind, scope, verbs: verbs.length }).toEqual({
    group: 'sea.example.com',
    resource: 'shoals',
    listKind: 'ShoalList',
    scope: 'Cluster',
    verbs: 8,
  });
});
