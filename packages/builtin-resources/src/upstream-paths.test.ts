import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { storedGroups } from './testing/group-dependencies.js';

/** Upstream's OpenAPI document, if available. */
const DOCUMENT = join(import.meta.dirname, '../../../../shared/facts/openapi-v2-1.36.json');

interface Operation {
  readonly responses: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const COLLECTION_VERBS = { get: 'list', post: 'create', delete: 'deletecollection' };
const ITEM_VERBS = { get: 'get', put: 'update', patch: 'patch', delete: 'delete', post: 'create' };

const isThere = existsSync(DOCUMENT);
const paths: Paths = isThere ? JSON.parse(readFileSync(DOCUMENT, 'utf8')).paths : {};

function verbsAt(path: string, names: Readonly<Record<string, string>>): string[] {
  return Object.keys(paths[path] ?? {}).flatMap((method) => names[method] ?? []);
}

function placesOf({ group, resource, scope }: AnyResourceDefinition, version: string) {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = scope === 'Namespaced' ? '/namespaces/{namespace}' : '';
  return { collection: `${root}${within}/${resource}`, watched: `${root}/watch${within}/${resource}` };
}

describe.skipIf(!isThere)("equals upstream's OpenAPI document (skipped without ../shared)", () => {
  const versions = storedGroups().flatMap(({ definitions }) =>
    definitions.flatMap((definition) =>
      definition.versions.map(({ version }) => ({
        name: `${definition.group}/${version} ${definition.resource}`,
        definition,
        version,
      })),
    ),
  );

  describe.each(versions)('$name', ({ definition, version }) => {
    const { collection, watched } = placesOf(definition, version);

    it('has the verbs', () => {
      const watch = paths[watched] === undefined ? [] : ['watch'];
      const upstream = [
        ...verbsAt(collection, COLLECTION_VERBS),
        ...verbsAt(`${collection}/{name}`, ITEM_VERBS),
        ...watch,
      ];
      expect([...definition.verbs].sort()).toEqual(upstream.sort());
    });

    it('returns the deleted object where upstream does', () => {
      const deleted = paths[`${collection}/{name}`]?.delete?.responses['200']?.schema?.$ref ?? '';
      const documents = definition.documentsDeletedObject ?? definition.returnDeletedObject;
      if (definition.verbs.includes('delete')) expect(!deleted.endsWith('.Status')).toBe(documents);
    });

    it.each(Object.entries(definition.subresources))(
      'has the subresource %s',
      (name, { verbs = ['get', 'patch', 'update'] }) => {
        expect(verbsAt(`${collection}/{name}/${name}`, ITEM_VERBS).sort()).toEqual([...verbs].sort());
      },
    );
  });
});
