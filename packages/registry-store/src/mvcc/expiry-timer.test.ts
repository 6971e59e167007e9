import { eventLoopTurns, ManualClock, SettableClock } from '@apiserver/apimachinery/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import { prefixEnd } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { MemoryTables } from '../memory/memory-tables.js';
import { createEmbeddedStore } from './embedded-store.js';
import type { ExpiryRecord } from './tables.js';

const TTL_SECONDS = 100;
const clock = new ManualClock();
const open = (tables: MemoryTables) => createEmbeddedStore(tables, { clock, compactionInterval: 0 });
const value = Buffer.from('v');

/** Tables with `/mortal`, whose time to live stands at `wrong` as if its record had been damaged. */
async function damagedTables(wrong: (right: number) => number): Promise<[tables: MemoryTables, right: number]> {
  const tables = new MemoryTables();
  const store = open(tables);
  const right = clock.now() + TTL_SECONDS * 1000;
  await store.commit({ type: 'put', key: '/mortal', value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  await store.commit({ type: 'put', key: '/kept', value, expectedRevision: 0 });
  await store[Symbol.asyncDispose]();
  const meta = tables.readMeta();
  if (meta === undefined) throw new Error('the store has written no meta record');
  const expiries = [
    { key: '/mortal', expiresAt: right, present: false },
    { key: '/mortal', expiresAt: wrong(right), present: true },
  ];
  await tables.commit({ index: new Map(), log: new Map(), expiries, meta });
  return [tables, right];
}

it.each([
  ['too early', (right: number) => right - 50_000],
  ['too late', (right: number) => right + 50_000],
])('repairs a time to live that is %s when it is over, and deletes the key when its own is', async (_, wrong) => {
  const [tables, right] = await damagedTables(wrong);
  await using store = open(tables);
  const keys = async () => (await store.range({ start: '/', end: prefixEnd('/') })).kvs.map(({ key }) => key);
  const repaired: ExpiryRecord[] = [{ key: '/mortal', expiresAt: right }];
  clock.advance(wrong(right) - clock.now());
  await expect.poll(() => tables.scanExpiries(9)).toEqual(repaired);
  expect([await keys(), await store.currentRevision()]).toEqual([['/kept', '/mortal'], 3]);
  // Writes continue at the revision of the meta record.
  expect(await store.commit({ type: 'put', key: '/later', value, expectedRevision: 0 })).toMatchObject({ revision: 4 });
  clock.advance(Math.max(0, right - clock.now()));
  const later = () => {
    clock.advance(1000);
    return keys();
  };
  await expect.poll(later).toEqual(['/kept', '/later']);
  expect(tables.scanExpiries(9)).toEqual([]);
});

it('waits a second before it deletes again what could not be deleted', async () => {
  const tables = new MemoryTables();
  await using store = open(tables);
  await store.commit({ type: 'put', key: '/mortal', value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  vi.spyOn(tables, 'commit').mockRejectedValue(new Error('the disk is full'));
  const scans = vi.spyOn(tables, 'scanExpiries');
  const attempts = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await eventLoopTurns();
    return scans.mock.calls.filter(([limit]) => limit > 1).length;
  };
  const made = [await attempts(TTL_SECONDS * 1000), await attempts(0), await attempts(999), await attempts(1)];
  expect(made).toEqual([1, 1, 1, 2]);
});

it('goes on after expiries that could not be read', async () => {
  const tables = new MemoryTables();
  await using store = open(tables);
  await store.commit({ type: 'put', key: '/mortal', value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  const scans = vi.spyOn(tables, 'scanExpiries').mockImplementation(() => {
    throw new Error('the page is damaged');
  });
  for (let second = 0; second < TTL_SECONDS + 2; second++) {
    clock.advance(1_000);
    await eventLoopTurns();
  }
  expect(scans).toHaveBeenCalledTimes(3);
  scans.mockRestore();
  clock.advance(1_000);
  await expect.poll(async () => (await store.get('/mortal')).kv).toBeUndefined();
});

it('repairs the times to live of all keys, however many', async () => {
  const tables = new MemoryTables();
  const store = open(tables);
  const expiresAt = clock.now() + TTL_SECONDS * 1000;
  const keys = Array.from({ length: 600 }, (_, i) => `/k${String(i).padStart(3, '0')}`);
  for (const key of keys) await store.commit({ type: 'put', key, value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  await store[Symbol.asyncDispose]();
  const meta = tables.readMeta();
  if (meta === undefined) throw new Error('the store has written no meta record');
  // All are lost; one stands at another time.
  const expiries = keys.map((key) => ({ key, expiresAt, present: false }));
  const wrong = { key: keys[0] ?? '', expiresAt: expiresAt - 50_000, present: true };
  await tables.commit({ index: new Map(), log: new Map(), expiries: [...expiries, wrong], meta });
  await using _ = open(tables);
  clock.advance((TTL_SECONDS - 50) * 1000);
  await expect.poll(() => tables.scanExpiries(1000)).toEqual(keys.map((key) => ({ key, expiresAt })));
});

it('rewrites no time to live of a damaged record, and writes nothing for keys without one', async () => {
  const [tables, right] = await damagedTables((then) => then - 50_000);
  const scanIndex = tables.scanIndex.bind(tables);
  vi.spyOn(tables, 'scanIndex').mockImplementation((...range) =>
    scanIndex(...range).map((record) => (record.key === '/mortal' ? { ...record, damaged: true } : record)),
  );
  const commits = vi.spyOn(tables, 'commit');
  await using _ = open(tables);
  clock.advance(right - 50_000 - clock.now());
  await expect.poll(() => tables.scanExpiries(9)).toEqual([]);
  await eventLoopTurns();
  expect([tables.scanExpiries(9), commits.mock.calls.length]).toEqual([[], 1]);
});

it('waits a second before it looks again at a time to live that stays', async () => {
  const [tables, right] = await damagedTables((then) => then - 50_000);
  await using _ = open(tables);
  const scanExpiries = tables.scanExpiries.bind(tables);
  const wrong: ExpiryRecord = { key: '/mortal', expiresAt: right - 50_000 };
  const scans = vi
    .spyOn(tables, 'scanExpiries')
    .mockImplementation((limit) => [wrong, ...scanExpiries(limit)].slice(0, limit));
  const looks = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await eventLoopTurns();
    return scans.mock.calls.filter(([limit]) => limit > 1).length;
  };
  expect([await looks((TTL_SECONDS - 50) * 1000), await looks(0), await looks(999), await looks(1)]).toEqual([
    1, 1, 1, 2,
  ]);
});

const HOUR_MS = 3_600_000;

it.each([2 * HOUR_MS, -2 * HOUR_MS])('deletes at the same moment when the machine is set by %i ms', async (step) => {
  const machine = new SettableClock();
  const tables = new MemoryTables();
  await using store = createEmbeddedStore(tables, { clock: machine, compactionInterval: 0 });
  const put = (key: string) => store.commit({ type: 'put', key, value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  const keys = async () => (await store.range({ start: '/', end: prefixEnd('/') })).kvs.map(({ key }) => key);
  for (let i = 0; i < 300; i++) await put(`/before-${i}`);
  machine.set(step);
  await put('/after');
  const end = machine.now() + TTL_SECONDS * 1000;
  machine.advance(60_000);
  await expect.poll(() => new Set(tables.scanExpiries(999).map(({ expiresAt }) => expiresAt))).toEqual(new Set([end]));
  await put('/later');
  machine.advance((TTL_SECONDS - 60) * 1000 - 1);
  await eventLoopTurns();
  expect((await keys()).length).toBe(302);
  const keysAfter = (milliseconds: number) => {
    machine.advance(milliseconds);
    return keys();
  };
  await keysAfter(1);
  // The next batch of deletions is due at once.
  await expect.poll(() => keysAfter(0)).toEqual(['/later']);
  await keysAfter(60_000);
  await expect.poll(() => keysAfter(0)).toEqual([]);
});

it('moves the rest of the expiries after the disk was full', async () => {
  const machine = new SettableClock();
  const tables = new MemoryTables();
  await using store = createEmbeddedStore(tables, { clock: machine, compactionInterval: 0 });
  for (let i = 0; i < 600; i++) {
    const key = `/k${String(i).padStart(3, '0')}`;
    await store.commit({ type: 'put', key, value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  }
  machine.set(2 * HOUR_MS);
  const end = machine.now() + TTL_SECONDS * 1000;
  const commit = tables.commit.bind(tables);
  let commits = 0;
  const full = vi.spyOn(tables, 'commit').mockImplementation(async (writes) => {
    if (commits++ > 0) throw new KeyValueError('NoSpace', 'the disk is full');
    await commit(writes);
  });
  machine.advance(60_000);
  await expect.poll(() => commits).toBe(2);
  await eventLoopTurns();
  full.mockRestore();
  machine.advance(1_000);
  await expect.poll(() => new Set(tables.scanExpiries(999).map(({ expiresAt }) => expiresAt))).toEqual(new Set([end]));
  expect((await store.range({ start: '/', end: prefixEnd('/') })).kvs.length).toBe(600);
});

it('keeps the ends that an earlier process has set, whose clock may have been right', async () => {
  const machine = new SettableClock();
  const tables = new MemoryTables();
  const openStore = () => createEmbeddedStore(tables, { clock: machine, compactionInterval: 0 });
  const earlier = openStore();
  const put = (store: typeof earlier, key: string) =>
    store.commit({ type: 'put', key, value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  await put(earlier, '/earlier');
  await earlier[Symbol.asyncDispose]();
  const right = machine.now() + TTL_SECONDS * 1000;
  // The machine has booted with a wrong time, until NTP sets it right.
  machine.set(-2 * HOUR_MS);
  await using store = openStore();
  await put(store, '/own');
  machine.set(2 * HOUR_MS);
  machine.advance(60_000);
  const ends = [
    { key: '/earlier', expiresAt: right },
    { key: '/own', expiresAt: right },
  ];
  await expect.poll(() => tables.scanExpiries(9)).toEqual(ends);
});

it('moves no ends of a snapshot that comes while others are moved', async () => {
  const machine = new SettableClock();
  await using store = createMemoryStore({ clock: machine, compactionInterval: 0 });
  for (let i = 0; i < 600; i++) {
    await store.commit({ type: 'put', key: `/k${i}`, value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  }
  const snapshot = store.snapshot();
  machine.set(-2 * HOUR_MS);
  const restored = Promise.withResolvers<void>();
  const commit = vi.spyOn(MemoryTables.prototype, 'commit').mockImplementationOnce(async () => {
    restored.resolve(store.restore(snapshot));
  });
  onTestFinished(() => commit.mockRestore());
  machine.advance(60_000);
  await restored.promise;
  const count = async () => (await store.range({ start: '/', end: prefixEnd('/') })).kvs.length;
  const after = async (milliseconds: number) => {
    machine.advance(milliseconds);
    await eventLoopTurns();
    return await count();
  };
  expect(await after(TTL_SECONDS * 1000 - 1)).toBe(600);
  await expect.poll(() => after(1)).toBe(0);
});

it('moves the ends in memory without their values', async () => {
  const machine = new SettableClock();
  await using store = createMemoryStore({ clock: machine, compactionInterval: 0 });
  await store.commit({ type: 'put', key: '/k', value, expectedRevision: 0, ttlSeconds: TTL_SECONDS });
  machine.set(2 * HOUR_MS);
  const expiresAt = machine.now() + TTL_SECONDS * 1000;
  machine.advance(60_000);
  await eventLoopTurns();
  expect([...store.snapshot().entries()]).toMatchObject([{ key: '/k', value, expiresAt }]);
});
