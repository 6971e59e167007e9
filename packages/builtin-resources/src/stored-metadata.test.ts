import { PartialObjectMetadata } from '@apiserver/api/meta/v1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { createStorageProvider } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storedGroups } from './testing/group-dependencies.js';
import { hubOf, smallestObject } from './testing/smallest-object.js';

const kinds = storedGroups()
  .flatMap(({ definitions }) => definitions)
  .filter(({ verbs }) => verbs.includes('create') && verbs.includes('get'));

const text = fc.string({ unit: 'grapheme' });
const texts = fc.dictionary(text, text);
const TIME = '2024-01-02T03:04:05Z';
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'o' };
const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', time: TIME, fieldsType: 'FieldsV1' };
const metadata: fc.Arbitrary<Partial<ObjectMeta>> = fc.record(
  {
    generateName: text,
    generation: fc.nat(),
    creationTimestamp: fc.constant(TIME),
    deletionTimestamp: fc.constant(TIME),
    deletionGracePeriodSeconds: fc.nat(),
    labels: texts,
    annotations: texts,
    ownerReferences: fc.constantFrom([], [owner], [{ ...owner, controller: true, blockOwnerDeletion: false }]),
    finalizers: fc.array(text),
    managedFields: fc.constantFrom([], [{ ...entry, fieldsV1: { 'f:data': { '.': {}, 'f:10': {}, 'f:9': {} } } }]),
  },
  { requiredKeys: [] },
);

it.each(kinds.map((definition) => [`${definition.group}/${definition.kind}`, definition] as const))(
  'the stored bytes of metadata are those of the decoded object: %s',
  async (_, definition) => {
    await using store = createMemoryStore();
    await using provider = createStorageProvider({ store, clock: systemClock, codecFor: compileKind });
    const storage = provider.storageFor(definition);
    const codec = compileKind(PartialObjectMetadata);
    let count = 0;
    const property = fc.asyncProperty(metadata, async (given) => {
      const name = `a${count++}`;
      const object = smallestObject(definition, compileKind(hubOf(definition).schema), name);
      Object.assign(object.metadata, given);
      // As every request does; some defaults are labels.
      hubOf(definition).applyDefaults?.(object);
      const key = definition.scope === 'Namespaced' ? `ns/${name}` : name;
      await storage.create(key, object);
      const read = await storage.get(key, {});
      const own = Buffer.from(read.metadataJson?.() ?? []).toString();
      const decoded = codec.encodeJson({ kind: 'P', apiVersion: 'v1', metadata: read.object.metadata });
      expect(`{"kind":"P","apiVersion":"v1","metadata":${own}}`).toBe(Buffer.from(decoded).toString());
    });
    await fc.assert(property, { numRuns: 30 });
  },
);
