import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { Creater } from '@apiserver/apiserver-contracts';
import { createStorageProvider, installedResource } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { storedGroups } from './testing/group-dependencies.js';
import { hubOf, smallestObject } from './testing/smallest-object.js';

/** Every write gets a time, an address or a label of its own. */
const NEVER_EQUAL: ReadonlySet<string> = new Set(['PersistentVolume', 'Service', 'Job']);

/** Kinds whose names have rules of their own. */
const NAMES: Readonly<Record<string, string>> = { IPAddress: '10.0.0.1', StorageVersion: 'apps.deployments' };

const kinds = storedGroups()
  .flatMap(({ definitions }) => definitions)
  .filter(({ verbs, storedAs }) => storedAs === undefined && verbs.includes('create'))
  .filter(({ kind }) => !NEVER_EQUAL.has(kind));

/** The object without the metadata that differs between two equal writes. */
function lasting({ metadata: { uid: _uid, resourceVersion: _resourceVersion, ...metadata }, ...rest }: KubeObject) {
  return { ...rest, metadata };
}

it.each(kinds.map((definition) => [definition.kind, definition] as const))(
  'a dry run of a create returns what the create returns: %s',
  async (_, definition) => {
    await using store = createMemoryStore();
    await using provider = createStorageProvider({ store, clock: systemClock, codecFor: compileKind });
    const storage = installedResource(definition, provider, testStoreSources()).storage as unknown as Creater;
    const context = testContext({ namespace: definition.scope === 'Namespaced' ? 'ns' : '' });
    const name = NAMES[definition.kind] ?? 'a';
    const create = async (options: object) => {
      const object = smallestObject(definition, compileKind(hubOf(definition).schema), name);
      return lasting((await storage.create(context, object, async () => {}, options)).object as KubeObject);
    };
    const dry = await create({ dryRun: ['All'] });
    expect(dry).toEqual(await create({}));
  },
);
