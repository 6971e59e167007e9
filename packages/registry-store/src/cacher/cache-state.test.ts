import { TimeSlice } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache, newWidgetContext } from '../testing/widget-cache.js';
import { noCacheMetrics } from './cache-metrics.js';
import { CacheState, type EntriesAt } from './cache-state.js';
import { DEFAULT_WINDOW } from './event-window.js';

const indexedField = 'spec.color';
const clock = new ManualClock();
let store: KeyValueStore;

beforeEach(async () => {
  store = createMemoryStore({ clock, compactionInterval: 0 });
  // An index of more entries is built in several slices.
  await create(...Array.from({ length: 64 }, (_, i) => `w${i}`));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store[Symbol.asyncDispose]();
});

async function create(...names: string[]): Promise<void> {
  await using cache = newWidgetCache({ store, clock });
  for (const name of names) {
    await cache.create(`ns/${name}`, widget({ name, namespace: 'ns', uid: name }, { spec: { color: 'red' } }));
  }
}

async function loaded(): Promise<CacheState<Widget>> {
  const state = new CacheState<Widget>({
    context: newWidgetContext({ store, indexedField }),
    window: DEFAULT_WINDOW,
    clock,
    metrics: noCacheMetrics,
    changed: () => {},
    restoring: () => {},
    restored: () => {},
    lost: () => {},
  });
  await state.load();
  return state;
}

/** Holds the next build of an index in its middle, until the test opens the gate. */
function heldBuild(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>();
  vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValueOnce(true);
  vi.spyOn(TimeSlice.prototype, 'yield').mockReturnValueOnce(gate.promise);
  return gate;
}

const sizeOf = (found: EntriesAt<Widget> | undefined) => found?.entries.length;

it('reads the index of the present when it was refilled during the build', async () => {
  const state = await loaded();
  const gate = heldBuild();
  const red = state.indexed('red', '', '');
  state.stop();
  await create('late');
  await state.load();
  gate.resolve();
  expect([sizeOf(await red), (await red)?.revision]).toEqual([65, await store.currentRevision()]);
  state.stop();
});

it('has no entries of a value that no object has', async () => {
  const state = await loaded();
  expect([sizeOf(await state.indexed('red', '', '')), sizeOf(await state.indexed('blue', '', ''))]).toEqual([64, 0]);
  state.stop();
});

it('has no entries of an index when it was stopped during the build', async () => {
  const state = await loaded();
  const gate = heldBuild();
  const red = state.indexed('red', '', '');
  state.stop();
  gate.resolve();
  expect(await red).toBeUndefined();
});
