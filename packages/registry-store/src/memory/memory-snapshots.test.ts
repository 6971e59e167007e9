import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyValueError } from '../key-value-error.js';
import { type KeyValueEvent, type KeyValueSink, prefixEnd, type RestoredKey } from '../key-value-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { createMemoryStore, type MemoryStore } from './create-memory-store.js';
import { type StoreSnapshot, snapshotOf } from './memory-snapshot.js';

const ALL = { start: '/', end: prefixEnd('/') };

interface Version {
  readonly value: string;
  readonly revision: number;
  readonly expiresAt: number;
}

type Contents = ReadonlyMap<string, Version>;

/** The slow model: every snapshot is a copy of a map. */
interface Model {
  contents: Map<string, Version>;
  revision: number;
}

interface ModelSnapshot {
  readonly contents: Contents;
  readonly revision: number;
  readonly takenAt: number;
}

/** Follows a store by its events and restores alone. */
class Follower implements KeyValueSink {
  readonly contents = new Map<string, string>();
  error: KeyValueError | undefined;

  event(event: KeyValueEvent): void {
    if (event.type === 'put') this.contents.set(event.key, text(event.value, event.revision));
    else this.contents.delete(event.key);
  }

  restored(_revision: number, changed: readonly RestoredKey[]): void {
    for (const { key, current } of changed) {
      if (current === undefined) this.contents.delete(key);
      else this.contents.set(key, text(current.value, current.modRevision));
    }
  }

  end(error: KeyValueError): void {
    this.error = error;
  }
}

function text(value: Uint8Array, revision: number): string {
  return `${Buffer.from(value).toString()}@${revision}`;
}

interface Plane {
  readonly store: MemoryStore;
  readonly model: Model;
  readonly follower: Follower;
}

interface Taken {
  readonly snapshot: StoreSnapshot;
  readonly model: ModelSnapshot;
}

const pick = fc.nat(1000);
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      plane: pick,
      key: fc.nat(40),
      ttl: fc.constantFrom(0, 0, 3, 9),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), plane: pick, key: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('load' as const), plane: pick, count: fc.nat(700) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('snapshot' as const), plane: pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('restore' as const), plane: pick, snapshot: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('copy' as const), snapshot: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const), snapshot: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), plane: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), seconds: fc.nat(5) }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** Planes on one clock, each with its model. */
class World implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly planes: Plane[] = [];
  readonly taken: Taken[] = [];

  async run(step: Command): Promise<void> {
    const plane = 'plane' in step ? (this.planes[step.plane % this.planes.length] as Plane) : undefined;
    const taken = 'snapshot' in step ? this.taken[step.snapshot % this.taken.length] : undefined;
    if (step.do === 'put' && plane) await this.put(plane, `/k${step.key}`, step.ttl);
    if (step.do === 'delete' && plane) await this.remove(plane, `/k${step.key}`);
    if (step.do === 'load' && plane) for (let i = 0; i < step.count; i++) await this.put(plane, `/load/${i}`, 0);
    if (step.do === 'snapshot' && plane) this.take(plane);
    if (step.do === 'restore' && plane && taken) await this.restore(plane, taken);
    if (step.do === 'copy' && taken) this.taken.push({ ...taken, snapshot: copied(taken.snapshot) });
    if (step.do === 'fork' && taken && this.planes.length < 4) await this.open(taken);
    if (step.do === 'compact' && plane) await plane.store.compact(plane.model.revision).catch(() => {});
    if (step.do === 'advance') await this.advance(step.seconds * 1000);
  }

  async open(taken?: Taken): Promise<void> {
    const store = createMemoryStore({
      clock: this.clock,
      compactionInterval: 0,
      ...(taken && { from: taken.snapshot }),
    });
    const model = taken ? this.#now(taken.model) : { contents: new Map(), revision: 1 };
    const follower = new Follower();
    for (const { key, value, modRevision } of (await store.range(ALL)).kvs) {
      follower.contents.set(key, text(value, modRevision));
    }
    store.watch(ALL, follower);
    this.planes.push({ store, model, follower });
  }

  async put({ store, model }: Plane, key: string, ttl: number): Promise<void> {
    const value = `v${model.revision}`;
    const expectedRevision = model.contents.get(key)?.revision ?? 0;
    const request = { type: 'put' as const, key, value: Buffer.from(value), expectedRevision };
    const result = await store.commit(ttl === 0 ? request : { ...request, ttlSeconds: ttl });
    expect(result).toEqual({ committed: true, revision: ++model.revision });
    const expiresAt = ttl === 0 ? 0 : this.clock.now() + ttl * 1000;
    model.contents.set(key, { value, revision: model.revision, expiresAt });
  }

  async remove({ store, model }: Plane, key: string): Promise<void> {
    const expectedRevision = model.contents.get(key)?.revision ?? 0;
    const { committed } = await store.commit({ type: 'delete', key, expectedRevision });
    expect(committed).toBe(model.contents.delete(key));
    if (committed) model.revision++;
  }

  take({ store, model }: Plane): void {
    const { contents, revision } = model;
    this.taken.push({
      snapshot: store.snapshot(),
      model: { contents: new Map(contents), revision, takenAt: this.clock.now() },
    });
  }

  /** A value that another store has written at the revision of the present one gets a new revision. */
  async restore({ store, model }: Plane, taken: Taken): Promise<void> {
    const before = model.contents;
    const { contents, revision } = this.#now(taken.model);
    model.revision = Math.max(model.revision, revision);
    for (const key of [...contents.keys()].toSorted()) {
      const [old, now] = [before.get(key), contents.get(key) as Version];
      if (old?.revision !== now.revision || old.value === now.value) continue;
      contents.set(key, { ...now, revision: ++model.revision });
    }
    model.contents = contents;
    model.revision++;
    await store.restore(taken.snapshot);
  }

  async advance(milliseconds: number): Promise<void> {
    this.clock.advance(milliseconds);
    // Keys with different times to live are removed one time after the other, in a few turns each.
    for (let i = 0; i < 20; i++) {
      await turn();
      // A timer that fired early is armed again, for a time that may be over.
      this.clock.advance(0);
    }
    for (const { model } of this.planes) {
      for (const [key, { expiresAt }] of model.contents) {
        if (expiresAt === 0 || expiresAt > this.clock.now()) continue;
        model.contents.delete(key);
        model.revision++;
      }
    }
  }

  async check(): Promise<void> {
    for (const { store, model, follower } of this.planes) {
      const expected = sorted([...model.contents].map(([key, { value, revision }]) => [key, `${value}@${revision}`]));
      const { kvs, revision } = await store.range(ALL);
      expect(revision).toBe(model.revision);
      expect(kvs.map(({ key, value, modRevision }) => [key, text(value, modRevision)])).toEqual(expected);
      expect(follower.error).toBeUndefined();
      expect(sorted([...follower.contents])).toEqual(expected);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { store } of this.planes) await store[Symbol.asyncDispose]();
  }

  /** The contents of a snapshot with the remaining times to live. */
  #now({ contents, revision, takenAt }: ModelSnapshot): Model {
    const elapsed = this.clock.now() - takenAt;
    const shifted = [...contents].map(([key, version]): [string, Version] => {
      return [key, { ...version, expiresAt: version.expiresAt === 0 ? 0 : version.expiresAt + elapsed }];
    });
    return { contents: new Map(shifted), revision };
  }
}

/** As it would be read from a file. */
function copied(snapshot: StoreSnapshot): StoreSnapshot {
  const entries = [...snapshot.entries()].map((entry) => ({ ...entry, value: Buffer.from(entry.value) }));
  return snapshotOf(entries, snapshot);
}

function sorted(pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  return pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

async function put(store: MemoryStore, key: string, value: string): Promise<void> {
  const expectedRevision = (await store.get(key)).kv?.modRevision ?? 0;
  await store.commit({ type: 'put', key, value: Buffer.from(value), expectedRevision });
}

async function contents(store: MemoryStore): Promise<unknown> {
  const { kvs } = await store.range(ALL);
  return kvs.map(({ key, value, modRevision }) => `${key}=${text(value, modRevision)}`);
}

describe('snapshots of a memory store', () => {
  it('equal copies of maps under random writes, restores and forks, which do not see each other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        await using world = new World();
        await world.open();
        for (const step of commands) {
          await world.run(step);
          await world.check();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('restore in one turn, at a new revision, and end watches that do not follow with Compacted', async () => {
    await using store = createMemoryStore({ clock: new ManualClock() });
    await put(store, '/a', '1');
    await put(store, '/b', '1');
    const snapshot = store.snapshot();
    await put(store, '/a', '2');
    await put(store, '/c', '1');
    const [sink, late] = [new RecordingSink(), new RecordingSink()];
    store.watch(ALL, sink);
    await store.restore(snapshot);
    expect([await contents(store), await store.currentRevision()]).toEqual([['/a=1@2', '/b=1@3'], 6]);
    expect([sink.events, sink.error]).toMatchObject([[], { keyValueErrorCode: 'Compacted', revision: 6 }]);
    store.watch({ ...ALL, fromRevision: 6 }, late);
    expect(await late.ended()).toMatchObject({ keyValueErrorCode: 'Compacted' });
    await expect(store.range({ ...ALL, revision: 5 })).rejects.toMatchObject({ keyValueErrorCode: 'Compacted' });
  });

  it('reject writes that compared with the state before the restore', async () => {
    await using store = createMemoryStore({ clock: new ManualClock() });
    await put(store, '/a', '1');
    const snapshot = store.snapshot();
    await put(store, '/a', '2');
    const restored = store.restore(snapshot);
    const late = store.commit({ type: 'put', key: '/a', value: Buffer.from('3'), expectedRevision: 3 });
    await restored;
    expect(await late).toMatchObject({ committed: false, current: { modRevision: 2 }, revision: 4 });
  });

  it('hold the commits of their turn whole or not at all', async () => {
    await using store = createMemoryStore({ clock: new ManualClock() });
    const writes = Promise.all(['/a', '/b', '/c'].map((key) => put(store, key, '1')));
    const sizes = new Set<number>();
    for (let i = 0; i < 200; i++) {
      sizes.add([...store.snapshot().entries()].length);
      await (i % 20 === 19 ? turn() : Promise.resolve());
    }
    await writes;
    expect([...sizes]).toEqual([0, 3]);
  });

  it('keep the remaining time of a lease, however late they are restored', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock });
    await store.commit({ type: 'put', key: '/l', value: Buffer.from('x'), expectedRevision: 0, ttlSeconds: 10 });
    clock.advance(4000);
    const snapshot = store.snapshot();
    clock.advance(3000);
    await store.restore(snapshot);
    const later = new ManualClock(clock.now() + 1_000_000);
    await using fork = createMemoryStore({ clock: later, from: snapshot });
    const seen: unknown[] = [];
    for (const milliseconds of [5999, 1]) {
      clock.advance(milliseconds);
      later.advance(milliseconds);
      await turn();
      seen.push(await contents(store), await contents(fork));
    }
    expect(seen).toEqual([['/l=x@2'], ['/l=x@2'], [], []]);
  });

  it('give a value that another store has at the revision of the present one a new revision', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock });
    for (const key of ['/a', '/b', '/c']) await put(store, key, '1');
    await using fork = createMemoryStore({ clock, from: store.snapshot() });
    // Revisions 5 to 7 are of different values in the two, except that of /b.
    for (const key of ['/a', '/b', '/c']) await put(store, key, key === '/b' ? 'same' : 'mine');
    for (const key of ['/a', '/b', '/c']) await put(fork, key, key === '/b' ? 'same' : 'yours');
    const follower = new Follower();
    store.watch(ALL, follower);
    const changed: (readonly string[])[] = [];
    const restored = (_: number, keys: readonly RestoredKey[]) => void changed.push(keys.map(({ key }) => key));
    store.watch(ALL, { event: () => {}, end: () => {}, restored });
    await store.restore(fork.snapshot());
    expect([await contents(store), await store.currentRevision()]).toEqual([
      ['/a=yours@8', '/b=same@6', '/c=yours@9'],
      10,
    ]);
    expect([[...follower.contents], changed]).toEqual([
      [
        ['/a', 'yours@8'],
        ['/c', 'yours@9'],
      ],
      [['/a', '/c']],
    ]);
    const read = await store.get('/a');
    expect([read.kv?.modRevision, Buffer.from(read.kv?.value ?? []).toString()]).toEqual([8, 'yours']);
    // The restored store goes on, and the fork keeps its revisions.
    await put(store, '/c', 'later');
    expect([await contents(store), await contents(fork)]).toEqual([
      ['/a=yours@8', '/b=same@6', '/c=later@11'],
      ['/a=yours@5', '/b=same@6', '/c=yours@7'],
    ]);
  });

  it('make keys that were deleted in the meantime known again, and the reverse', async () => {
    await using store = createMemoryStore({ clock: new ManualClock() });
    await put(store, '/back', '1');
    await put(store, '/stays', '1');
    const snapshot = store.snapshot();
    await store.commit({ type: 'delete', key: '/back', expectedRevision: 2 });
    await put(store, '/gone', '1');
    await put(store, '/short', '1');
    await store.commit({ type: 'delete', key: '/short', expectedRevision: 6 });
    const changed: (readonly (string | number | undefined)[])[] = [];
    const restored = (revision: number, keys: readonly RestoredKey[]) =>
      void changed.push([revision], ...keys.map(({ key, current }) => [key, current?.modRevision]));
    store.watch(ALL, { event: () => {}, end: () => {}, restored });
    await store.restore(snapshot);
    expect(changed).toEqual([[8], ['/back', 2], ['/gone', undefined]]);
    expect(await contents(store)).toEqual(['/back=1@2', '/stays=1@3']);
  });

  it('list what is there, with its revision and the end of its life', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock });
    for (const key of ['/a', '/b']) await put(store, key, '1');
    await store.commit({ type: 'delete', key: '/a', expectedRevision: 2 });
    await store.commit({ type: 'put', key: '/c', value: Buffer.from('x'), expectedRevision: 0, ttlSeconds: 9 });
    const snapshot = store.snapshot();
    await put(store, '/d', '1');
    const entries = [...snapshot.entries()].map(({ value, ...rest }) => [Buffer.from(value).toString(), rest]);
    expect([entries, snapshot.revision, snapshot.takenAt]).toEqual([
      [
        ['1', { key: '/b', revision: 3, expiresAt: 0 }],
        ['x', { key: '/c', revision: 5, expiresAt: clock.now() + 9000 }],
      ],
      5,
      clock.now(),
    ]);
    const copy = snapshotOf(snapshot.entries(), snapshot);
    expect([copy.revision, copy.takenAt, [...copy.entries()].map(({ key }) => key)]).toEqual([
      5,
      clock.now(),
      ['/b', '/c'],
    ]);
  });

  it('may come from another copy of this package', async () => {
    const value = new TextEncoder().encode('x');
    const foreign: StoreSnapshot = {
      revision: 6,
      takenAt: 0,
      entries: () => [{ key: '/a', value, revision: 5, expiresAt: 0 }],
    };
    await using store = createMemoryStore({ clock: new ManualClock() });
    await store.restore(foreign);
    await using fork = createMemoryStore({ clock: new ManualClock(), from: foreign });
    expect([await contents(store), await contents(fork)]).toEqual([['/a=x@5'], ['/a=x@5']]);
  });
});
