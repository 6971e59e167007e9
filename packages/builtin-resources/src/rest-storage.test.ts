import { systemClock } from '@apiserver/apimachinery/clock';
import { createStorageProvider, installedResource } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { memoizedCodecs, restStorageSuite, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { ALL_VERBS } from '@apiserver/resource-kit';
import { storedGroups } from './testing/group-dependencies.js';
import { hubOf, smallestObject } from './testing/smallest-object.js';

/** Kinds whose first DELETE only starts the deletion. */
const DELETED_LATER: ReadonlySet<string> = new Set(['Job', 'Namespace', 'ReplicationController']);

/** Names of kinds with a special rule for them. */
const NAMES: Readonly<Record<string, (letter: string) => string>> = {
  IPAddress: (letter) => `10.0.0.${' abc'.indexOf(letter)}`,
  StorageVersion: (letter) => `example.com.${letter}`,
};

/** Verbs that the suite requires. */
const NEEDED = ALL_VERBS.filter((verb) => verb !== 'deletecollection');

for (const { definitions } of storedGroups()) {
  for (const definition of definitions.filter(
    ({ verbs, storedAs }) => storedAs === undefined && NEEDED.every((verb) => verbs.includes(verb)),
  )) {
    restStorageSuite(`${definition.resource} over the memory store`, () => {
      const codecFor = memoizedCodecs();
      const store = createMemoryStore();
      const provider = createStorageProvider({ store, clock: systemClock, codecFor });
      return {
        storage: installedResource(definition, provider, testStoreSources()).storage,
        context: testContext({ namespace: definition.scope === 'Namespaced' ? 'ns' : '' }),
        object: (name) => smallestObject(definition, codecFor(hubOf(definition).schema), name),
        ...(NAMES[definition.kind] && { nameOf: NAMES[definition.kind] }),
        change: (draft) => {
          draft.metadata.labels = { ...draft.metadata.labels, changed: 'yes' };
        },
        deletesAtOnce: !DELETED_LATER.has(definition.kind),
        marksDeletion: definition.strategy.checkGracefulDelete !== undefined,
        createsOnUpdate: definition.strategy.allowCreateOnUpdate,
        async dispose() {
          await provider[Symbol.asyncDispose]();
          await store[Symbol.asyncDispose]();
        },
      };
    });
  }
}
