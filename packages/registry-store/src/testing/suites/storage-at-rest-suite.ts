import { expect, it } from 'vitest';
import type { Transformer } from '../../objects/transformer.js';
import {
  create,
  hasCode,
  listOptions,
  make,
  names,
  remove,
  reportedError,
  setColor,
  type WithStorage,
  watch,
} from './storage-suite-fixture.js';

const FOLDER = '/registry/example.com/widgets/';

/** Writes `new:`; reads that and `old:`, which is stale, and nothing else. The key must be the one written to. */
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

/**
 * Tests of the layer between storage and bytes. Upstream: RunTestTransformationFailure, RunTestGuaranteedUpdate (stale
 * data)
 */
export function atRestTests(withStorage: WithStorage): void {
  it(
    'transforms what it stores, by key, and returns it unchanged',
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
    'rewrites stale objects without changes, and no others',
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
    'reports why an object cannot be decrypted, and leaves it unchanged',
    withStorage(async ({ storage, store }) => {
      const key = `${FOLDER}ns/bad`;
      await store.commit({ type: 'put', key, value: Buffer.from('other:bytes'), expectedRevision: 0 });
      const never = async (): Promise<never> => expect.fail('must not be called');
      for (const call of [
        () => storage.get('ns/bad', {}),
        () => storage.list('', listOptions({ limit: 500 })),
        () => storage.guaranteedUpdate('ns/bad', {}, never),
        () => storage.delete('ns/bad', {}, never),
      ]) {
        await expect(call()).rejects.toEqual(hasCode('Transform'));
      }
      expect(await reportedError(storage.get('ns/bad', {}))).toMatchObject({
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: no matching prefix found',
        details: { causes: [{ message: 'no matching prefix found' }] },
      });
      expect(await reportedError(storage.list('', listOptions({ limit: 500 })))).toMatchObject({
        code: 500,
        reason: 'InternalError',
        message: `Internal error occurred: unable to transform key "${key}": no matching prefix found`,
      });
      expect((await store.get(key)).kv?.modRevision).toBe(2);
    }, marking),
  );

  it.each(['no object', '{}', '{"kind":"Widget"}', 'k8s\0\xff\xff', ''])(
    'reports bytes that are not an object, and leaves them: %j',
    (bytes) =>
      withStorage(async ({ storage, store }) => {
        const key = `${FOLDER}ns/bad`;
        await store.commit({ type: 'put', key, value: Buffer.from(bytes, 'latin1'), expectedRevision: 0 });
        await create(storage, 'ok/a');
        const never = async (): Promise<never> => expect.fail('must not be called');
        for (const call of [
          () => storage.get('ns/bad', {}),
          () => storage.list('', listOptions({ limit: 500 })),
          () => storage.guaranteedUpdate('ns/bad', {}, never),
          () => storage.delete('ns/bad', {}, never),
        ]) {
          await expect(call()).rejects.toEqual(hasCode('Corrupt'));
        }
        const status = await reportedError(storage.get('ns/bad', {}));
        expect(status).toMatchObject({ kind: 'Status', status: 'Failure', code: 500, message: expect.any(String) });
        expect(status).not.toHaveProperty('reason');
        await expect(create(storage, 'ns/bad')).rejects.toEqual(hasCode('KeyExists'));
        expect(names(await storage.list('ok/', listOptions({ limit: 500 })))).toEqual(['a@3']);
        expect((await store.get(key)).kv?.modRevision).toBe(2);
      })(),
  );

  it(
    'ends a watch at an unreadable change',
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

  it(
    'reads the other objects if one cannot be decrypted',
    withStorage(async ({ storage, store }) => {
      const bad = { type: 'put', key: `${FOLDER}bad/x`, value: Buffer.from('other:bytes') } as const;
      await store.commit({ ...bad, expectedRevision: 0 });
      await create(storage, 'ns/a');
      expect((await storage.get('ns/a', {})).resourceVersion).toBe('3');
      expect(names(await storage.list('ns/', listOptions({ limit: 500 })))).toEqual(['a@3']);
      expect(await setColor(storage, 'ns/a', 'blue')).toBe(4);
      await remove(storage, 'ns/a');
      await store.commit({ type: 'delete', key: bad.key, expectedRevision: 2 });
      expect(names(await storage.list('', listOptions({ limit: 500 })))).toEqual([]);
    }, marking),
  );

  it('yields to the event loop while it decrypts many objects', async () => {
    const slow: Transformer = {
      toStorage: (bytes) => bytes,
      fromStorage(bytes) {
        for (const until = performance.now() + 0.5; performance.now() < until; );
        return { bytes, stale: false };
      },
    };
    await withStorage(async ({ storage, store }) => {
      for (let i = 0; i < 200; i++) {
        const value = Buffer.from(JSON.stringify(make(`ns/w${i}`)));
        await store.commit({ type: 'put', key: `${FOLDER}ns/w${i}`, value, expectedRevision: 0 });
      }
      let turns = 0;
      let done = false;
      const count = (): void => {
        turns++;
        if (!done) setImmediate(count);
      };
      setImmediate(count);
      expect((await storage.list('', listOptions())).items).toHaveLength(200);
      done = true;
      // 100 ms in slices of 5 ms, plus the work started at the end of each.
      expect(turns).toBeGreaterThan(8);
    }, slow)();
  });

  it('rewrites an object that was read before its key was replaced', async () => {
    const keys = rotating();
    await withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a');
      const touch = async () =>
        (await storage.guaranteedUpdate('ns/a', {}, async (current) => ({ object: current?.object ?? make('ns/a') })))
          .stored.resourceVersion;
      expect([(await storage.get('ns/a', {})).resourceVersion, await touch()]).toEqual(['2', '2']);
      keys.current = 2;
      expect([await touch(), await touch()]).toEqual(['3', '3']);
      expect((await store.get(`${FOLDER}ns/a`)).kv?.value[0]).toBe(2);
    }, keys.transformer)();
  });

  it('keeps the order of values that wait for their key', async () => {
    const keys = rotating();
    await withStorage(async ({ storage, store }) => {
      keys.fetch = async () => await new Promise((resolve) => setTimeout(resolve, 50));
      const recorder = await watch(storage, '', { resourceVersion: '1' });
      const encrypted = (name: string, key: number) =>
        Buffer.concat([Buffer.of(key), Buffer.from(JSON.stringify(make(`ns/${name}`)))]);
      const put = (name: string, key: number) =>
        store.commit({ type: 'put', key: `${FOLDER}ns/${name}`, value: encrypted(name, key), expectedRevision: 0 });
      await put('a', 1);
      await put('b', 7);
      await put('c', 1);
      await put('d', 8);
      expect(await recorder.have(4)).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'ADDED ns/c@4', 'ADDED ns/d@5']);
      await put('e', 9);
      // An acknowledged write is in a consistent list, even while its key is being fetched.
      expect(names(await storage.list('', listOptions()))).toEqual(['a@2', 'b@3', 'c@4', 'd@5', 'e@6']);
      const late = await watch(storage, '', { resourceVersion: '1' });
      expect(await late.have(5)).toEqual([2, 3, 4, 5, 6].map((at) => `ADDED ns/${'..abcde'[at]}@${at}`));
      expect(keys.fetched).toEqual([7, 8, 9]);
    }, keys.transformer)();
  });
}

interface RotatingKeys {
  /** The number of the writing key. */
  current: number;
  /** Numbers of the fetched keys. */
  readonly fetched: number[];
  fetch: () => Promise<void>;
  readonly transformer: Transformer;
}

/** Bytes prefixed with the number of a key: fetched keys are known, 1 and 2 from the beginning. */
function rotating(): RotatingKeys {
  const known = new Set([1, 2]);
  const keys: RotatingKeys = {
    current: 1,
    fetched: [],
    fetch: async () => {},
    transformer: {
      toStorage: (bytes) => Buffer.concat([Buffer.of(keys.current), bytes]),
      fromStorage(bytes) {
        const [key = 0] = bytes;
        const read = () => ({ bytes: bytes.subarray(1), stale: key !== keys.current });
        if (known.has(key)) return read();
        return keys.fetch().then(() => {
          if (!known.has(key)) keys.fetched.push(key);
          known.add(key);
          return read();
        });
      },
    },
  };
  return keys;
}
