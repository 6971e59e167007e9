import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import { loadedObjects } from './loaded-object.js';

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });

/** Decoded on each access, which takes a millisecond. */
const slow = (name: string) => ({
  get object() {
    const begun = performance.now();
    while (performance.now() - begun < 1);
    return object(name);
  },
});

it('leaves the event loop to others between the objects of a list', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
  let turns = 0;
  const count = () => {
    turns++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const loaded: unknown[] = [];
  for await (const { metadata } of loadedObjects(names.map(slow))) loaded.push(metadata.name);
  clearImmediate(counting);
  expect(loaded).toEqual(names);
  expect(turns).toBeGreaterThanOrEqual(4);
});

it('waits for large objects', async () => {
  const large = { object: object('wrong'), load: async () => object('large') };
  const loaded = await Array.fromAsync(loadedObjects([{ object: object('small') }, large]));
  expect(loaded.map(({ metadata }) => metadata.name)).toEqual(['small', 'large']);
});
