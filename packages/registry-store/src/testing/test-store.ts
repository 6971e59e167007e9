import type { KubeObject } from '@apiserver/apimachinery';
import type { GenericStore, ResourceDefinition, Strategy } from '@apiserver/apiserver-contracts';
import { newGenericStore } from '../store/generic-store.js';
import type { StoreOptions } from '../store/store-options.js';
import { createFakeStorage, type FakeStorage } from './fake-storage.js';
import { type Widget, widgetDefinition, widgetStrategy } from './widget.js';

/** 2030-01-02T03:04:05.678Z */
export const TEST_TIME = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

/** A generic Store over a FakeStorage, with a manual clock, and uids and suffixes that count up. */
export interface TestStore {
  readonly store: GenericStore<Widget>;
  readonly storage: FakeStorage<Widget>;
  readonly clock: { time: number; now(): number };
}

/** Changes to the Store under test. */
export interface TestStoreOptions extends Partial<Pick<StoreOptions<Widget>, 'random' | 'enableGarbageCollection'>> {
  readonly definition?: Partial<ResourceDefinition<Widget>>;
  readonly strategy?: Partial<Strategy<Widget>>;
  readonly deleteCollectionWorkers?: number;
}

/** A Store of Widgets to test with. */
export function createTestStore(options: TestStoreOptions = {}): TestStore {
  const { definition, strategy, ...rest } = options;
  const storage = createFakeStorage<Widget>();
  const clock = { time: TEST_TIME, now: () => clock.time };
  const store = newGenericStore<Widget>({
    definition: widgetDefinition({ strategy: { ...widgetStrategy, ...strategy }, ...definition }),
    storage,
    ...testStoreSources(clock),
    ...rest,
  });
  return { store, storage, clock };
}

/** Clock, uids and randomness for a Store in a test: uids `uid-1`, `uid-2` …, name suffixes that never repeat. */
export function testStoreSources<T extends KubeObject>(
  clock: { now(): number } = { now: () => TEST_TIME },
): Pick<StoreOptions<T>, 'clock' | 'newUid' | 'random'> {
  let uids = 0;
  let drawn = 0;
  return { clock, newUid: () => `uid-${++uids}`, random: (bound) => Math.floor(drawn++ / 5) % bound };
}
