import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import type { KeyValueStore } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordFirstObjects } from './first-objects.js';
import { readFirstObjects, storeFirstObjects } from './store-first-objects.js';

const uid = '0f9a2f4e-6a4c-4c6f-9a8e-0d1f2e3c4b5a';
const role = (id: string, time: string) =>
  `{"kind":"Role","metadata":{"name":"a","uid":"${id}","creationTimestamp":"${time}","managedFields":[{"time":"${time}"}]}}`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'first-objects-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const newStore = () => createMemoryStore({ clock: systemClock, compactionInterval: 0 });

const put = (store: KeyValueStore, key: string, text: string) =>
  store.commit({ type: 'put', key, value: Buffer.from(text), expectedRevision: 0 });

async function keysAndValues(store: KeyValueStore): Promise<readonly string[]> {
  const { kvs } = await store.range({ start: '/', end: '0' });
  return kvs.map(({ key, value }) => `${key} ${Buffer.from(value).toString()}`);
}

/** Copies the recorded objects of one store to another. */
async function copied(from: KeyValueStore, to: KeyValueStore, options = 'of the build'): Promise<readonly string[]> {
  const file = join(directory, 'objects.json');
  const recorded = { fingerprint: 'of the build', objects: await recordFirstObjects(from, '/registry') };
  writeFileSync(file, JSON.stringify(recorded));
  const now = Date.parse('2026-11-22T10:00:00Z');
  const recordedFor = () => readFirstObjects(file, () => options);
  await storeFirstObjects(to, { recorded: recordedFor, root: '/other', now, newUid: () => 'a-new-uid' });
  return keysAndValues(to);
}

describe('storeFirstObjects', () => {
  it('recreates the recorded objects, except those that differ between servers', async () => {
    await using from = newStore();
    await using to = newStore();
    await put(from, '/registry/roles/kube-system/a', role(uid, '2026-01-01T00:00:00Z'));
    await put(from, '/registry/configmaps/kube-system/a', '{}');
    await put(from, '/registry/rolesandmore/a', '{}');
    expect(await copied(from, to)).toEqual([`/other/roles/kube-system/a ${role('a-new-uid', '2026-11-22T10:00:00Z')}`]);
  });

  it('tells a store with objects from one that got none', async () => {
    await using store = newStore();
    const settings = { root: '/registry', now: 0, newUid: () => '' };
    const none = await storeFirstObjects(store, { ...settings, recorded: () => undefined });
    const stored = await storeFirstObjects(store, { ...settings, recorded: () => [{ key: 'roles/a', text: '{}' }] });
    const again = await storeFirstObjects(store, { ...settings, recorded: () => undefined });
    expect([none, stored, again]).toEqual(['none recorded', 'stored', 'had objects']);
  });

  it('counts a store as one with objects if another server comes first', async () => {
    await using store = newStore();
    const settings = { root: '/registry', now: 0, newUid: () => '' };
    const recorded = () => [{ key: 'roles/a', text: '{}' }];
    const outcomes = [1, 2].map(() => storeFirstObjects(store, { ...settings, recorded }));
    expect(await Promise.all(outcomes)).toEqual(['stored', 'had objects']);
  });

  it('does not change a store that was ever written to', async () => {
    await using from = newStore();
    await using to = newStore();
    await put(from, '/registry/roles/kube-system/a', '{}');
    await put(to, '/other/b', '{}');
    const current = await to.get('/other/b');
    await to.commit({ type: 'delete', key: '/other/b', expectedRevision: current.kv?.modRevision ?? 0 });
    expect(await copied(from, to)).toEqual([]);
  });

  it('stores nothing if the options differ from those of the build', async () => {
    await using from = newStore();
    await using to = newStore();
    await put(from, '/registry/roles/kube-system/a', role(uid, '2026-01-01T00:00:00Z'));
    expect(await copied(from, to, 'other ones')).toEqual([]);
  });

  it("records nothing if the clock's second changed during creation", async () => {
    await using from = newStore();
    await put(from, '/registry/roles/a', role(uid, '2026-01-01T00:00:00Z'));
    expect(await recordFirstObjects(from, '/registry')).toHaveLength(1);
    await put(from, '/registry/roles/b', `["2026-01-01T00:00:00Z","2026-01-01T00:00:01Z"]`);
    expect(await recordFirstObjects(from, '/registry')).toBeUndefined();
  });

  it('tolerates a missing file', async () => {
    await using store = newStore();
    const file = join(directory, 'none');
    const none = () => readFirstObjects(file, () => '');
    await storeFirstObjects(store, { recorded: none, root: '/registry', now: 0, newUid: () => '' });
    expect(await keysAndValues(store)).toEqual([]);
  });
});
