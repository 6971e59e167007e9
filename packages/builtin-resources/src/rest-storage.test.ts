import type { KubeObject } from '@apiserver/apimachinery';
import { createStore } from '@apiserver/registry-store';
import { createFakeStorage, restStorageSuite, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { builtinGroups } from './builtin-groups.js';
import { ALL_VERBS } from './define-resource.js';

/** Kinds whose smallest valid object has more than metadata: what else it needs. */
const REQUIRED_FIELDS: Readonly<Record<string, object>> = {};
/** What the codec puts into every object of a kind, sent or not. */
const ALWAYS_THERE: Readonly<Record<string, object>> = { Namespace: { spec: {}, status: {} } };
/** Kinds whose first DELETE only begins the deletion. */
const DELETED_LATER: ReadonlySet<string> = new Set(['Namespace']);

/** Verbs that a resource needs for the suite to make sense of it. */
const NEEDED = ALL_VERBS.filter((verb) => verb !== 'deletecollection');

for (const { definitions } of builtinGroups()) {
  for (const definition of definitions.filter(({ verbs }) => NEEDED.every((verb) => verbs.includes(verb)))) {
    restStorageSuite(`${definition.resource}`, () => ({
      storage: createStore<KubeObject>({ definition, storage: createFakeStorage(), ...testStoreSources() }),
      context: testContext({ namespace: definition.scope === 'Namespaced' ? 'ns' : '' }),
      object: (name) =>
        structuredClone({
          apiVersion: definition.group === '' ? definition.hubVersion : `${definition.group}/${definition.hubVersion}`,
          kind: definition.kind,
          metadata: name === undefined ? { generateName: 'g-' } : { name },
          ...ALWAYS_THERE[definition.kind],
          ...REQUIRED_FIELDS[definition.kind],
        }),
      change: (draft) => {
        draft.metadata.labels = { ...draft.metadata.labels, changed: 'yes' };
      },
      deletesAtOnce: !DELETED_LATER.has(definition.kind),
    }));
  }
}
