import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import { KeptForms } from './kept-forms.js';
import { FormMemory } from './object-forms.js';

const METADATA: WireForm = { contentType: 'application/json', group: 'g', version: 'v1', kind: 'Metadata' };
const made = (name: string, size = 1) => widget({ name, namespace: 'a', uid: name }, { spec: { size } });
const text = (stored: StoredObject | undefined) => Buffer.from(stored?.wire(METADATA) ?? []).toString();

function started() {
  const clock = new ManualClock();
  const bound = new KeptForms(clock);
  const store = createMemoryStore({ clock });
  const cache = newWidgetCache({ store, clock, formMemory: new FormMemory(bound) });
  const list = () => cache.list('', { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector });
  const update = (key: string, object: Widget) => cache.guaranteedUpdate(key, {}, async () => ({ object }));
  return {
    bound,
    cache,
    list,
    update,
    [Symbol.asyncDispose]: async () => {
      await cache[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

test('a form is kept with the state of an object that is current', async () => {
  await using server = started();
  const { bound, cache, update } = server;
  await cache.ready();
  const created = await cache.create('a/b', made('b'));
  created.keep?.(METADATA, Buffer.from('first'));
  const kept = [text(await cache.get('a/b', {})), text(created), bound.bytes];
  await update('a/b', made('b', 2));
  created.keep?.(METADATA, Buffer.from('late'));
  expect([kept, text(created), text(await cache.get('a/b', {})), bound.bytes]).toEqual([
    ['first', 'first', 5],
    '',
    '',
    0,
  ]);
});

test('a deleted object keeps nothing', async () => {
  await using server = started();
  const { bound, cache } = server;
  await cache.ready();
  const created = await cache.create('a/b', made('b'));
  created.keep?.(METADATA, Buffer.from('first'));
  await cache.delete('a/b', {}, () => {});
  created.keep?.(METADATA, Buffer.from('late'));
  expect([text(created), bound.bytes]).toEqual(['', 0]);
});

test('a list from the cache has the runs of its items, until one of them changes', async () => {
  await using server = started();
  const { cache, list, update } = server;
  const runs = async () => [...((await list()).runs?.() ?? [])];
  await cache.ready();
  for (let i = 0; i < 5; i++) await cache.create(`a/w${i}`, made(`w${i}`));
  const [first] = await runs();
  first?.keep('form', { deflated: Buffer.from('x'), length: 1, checksum: 0 });
  const again = (await runs()).map((run) => [run.count, run.compressed('form')?.length]);
  await update('a/w3', made('w3', 2));
  const changed = (await runs()).map((run) => [run.count, run.compressed('form')?.length]);
  expect([again, changed]).toEqual([[[5, 1]], [[5, undefined]]]);
});
