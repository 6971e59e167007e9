import { expect, it } from 'vitest';
import type { Transformer } from '../objects/transformer.js';
import {
  create,
  hasCode,
  listOptions,
  make,
  setColor,
  told,
  type WithStorage,
  watch,
} from './storage-suite-fixture.js';

const FOLDER = '/registry/example.com/widgets/';

/** Writes `new:`; reads that and `old:`, which it calls stale, and nothing else. The key has to be the one written to. */
const marking: Transformer = {
  toStorage: (bytes, key) => Buffer.concat([Buffer.from(`new:${key}:`), bytes]),
  fromStorage(bytes, key) {
    const text = Buffer.from(bytes).toString();
    const [mark] = text.split(':', 1);
    const head = `${mark}:${key}:`;
    if ((mark !== 'new' && mark !== 'old') || !text.startsWith(head)) throw new Error('no matching prefix found');
    return { bytes: bytes.subarray(Buffer.byteLength(head)), stale: mark === 'old' };
  },
};

/** What stands between storage and bytes. Upstream: RunTestTransformationFailure, RunTestGuaranteedUpdate (stale data) */
export function atRestTests(withStorage: WithStorage): void {
  it(
    'transforms what it stores, by key, and shows it as it was',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a', { spec: { color: 'red' } });
      const { kv } = await store.get(`${FOLDER}ns/a`);
      expect(Buffer.from(kv?.value ?? []).toString()).toMatch(/^new:\/registry\/example.com\/widgets\/ns\/a:\{"kind":/);
      expect((await storage.get('ns/a', {})).object.spec).toEqual({ color: 'red' });
      const recorder = await watch(storage, '', { resourceVersion: '1' });
      await setColor(storage, 'ns/a', 'blue');
      expect(await recorder.have(2)).toEqual(['ADDED ns/a@2', 'MODIFIED ns/a@3']);
      expect(recorder.events.map(({ object }) => object.object.spec?.color)).toEqual(['red', 'blue']);
    }, marking),
  );

  it(
    'writes what is stale anew although nothing changes, and what is not stale not',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a');
      const key = `${FOLDER}ns/a`;
      const { kv } = await store.get(key);
      const value = Buffer.from(
        Buffer.from(kv?.value ?? [])
          .toString()
          .replace(/^new/, 'old'),
      );
      await store.commit({ type: 'put', key, value, expectedRevision: 2 });
      const touch = async () => {
        const update = storage.guaranteedUpdate('ns/a', {}, async (current) => ({
          object: { ...make('ns/a'), ...structuredClone(current?.object) },
        }));
        return (await update).stored.resourceVersion;
      };
      expect([await touch(), await touch()]).toEqual(['4', '4']);
      expect(Buffer.from((await store.get(key)).kv?.value ?? []).toString()).toMatch(/^new:/);
    }, marking),
  );

  it(
    'says of an object that cannot be read that it is corrupt, and changes nothing about it',
    withStorage(async ({ storage, store }) => {
      const key = `${FOLDER}ns/bad`;
      await store.commit({ type: 'put', key, value: Buffer.from('other:bytes'), expectedRevision: 0 });
      const never = async (): Promise<never> => expect.fail('must not be called');
      for (const call of [
        () => storage.get('ns/bad', {}),
        () => storage.list('', listOptions()),
        () => storage.guaranteedUpdate('ns/bad', {}, never),
        () => storage.delete('ns/bad', {}, never),
      ]) {
        await expect(call()).rejects.toEqual(hasCode('Corrupt'));
      }
      expect(await told(storage.get('ns/bad', {}))).toMatchObject({ code: 500, reason: 'InternalError' });
      expect((await store.get(key)).kv?.modRevision).toBe(2);
    }, marking),
  );

  it(
    'ends a watch at a change that cannot be read',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a');
      const recorder = await watch(storage, '', { resourceVersion: '1' });
      await recorder.have(1);
      const key = `${FOLDER}ns/bad`;
      await store.commit({ type: 'put', key, value: Buffer.from('other:bytes'), expectedRevision: 0 });
      expect((await recorder.ended())?.status.code).toBe(500);
      expect(recorder.lines).toEqual(['ADDED ns/a@2']);
    }, marking),
  );
}
