import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { openLmdbStore } from '../lmdb/open-lmdb-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { smallFileSystem } from '../testing/small-file-system.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { backUpStore } from './back-up-store.js';
import { BackupWriter } from './backup-writer.js';
import { restoreStore } from './restore-store.js';

const everything = { start: '/', end: prefixEnd('/') };
const made = new Date('2026-11-22T06:00:00Z');
let folder: ReturnType<typeof temporaryDirectory>;
let file: string;

beforeEach(() => {
  folder = temporaryDirectory();
  file = join(folder.path, 'backup');
});
afterEach(() => folder[Symbol.dispose]());

const place = (name: string) => join(folder.path, name);
const open = (name: string, clock = new ManualClock()) =>
  openLmdbStore({ directory: place(name), clock, compactionInterval: 0 });
const backUp = (name: string) => backUpStore({ directory: place(name), file, version: 'v1.36.0', now: () => made });
const restore = (name: string, { bump = 1000, later = 0 } = {}) =>
  restoreStore({ directory: place(name), file, bump, now: () => new Date(made.getTime() + later) });

async function put(store: KeyValueStore, key: string, value: string, { after = 0, ttlSeconds = 0 } = {}) {
  const result = await store.commit({
    type: 'put',
    key,
    value: Buffer.from(value),
    expectedRevision: after,
    ttlSeconds,
  });
  expect(result.committed).toBe(true);
}

async function contents(store: KeyValueStore): Promise<readonly string[]> {
  const { kvs } = await store.range(everything);
  return kvs.map(({ key, value, modRevision }) => `${key}=${value.length > 99 ? value.length : value}@${modRevision}`);
}

/** Keys that are overwritten, deleted and written again, of all sizes, with a time to live; and history. */
async function fill(store: KeyValueStore): Promise<void> {
  await put(store, '/b', 'old');
  await put(store, '/a', 'a');
  await put(store, '/b', 'new', { after: 2 });
  await put(store, '/gone', 'x');
  await store.commit({ type: 'delete', key: '/gone', expectedRevision: 5 });
  await put(store, '/\u{1f600}/large', 'y'.repeat(1_200_000));
  await put(store, '/empty', '');
  await put(store, '/event', 'soon', { ttlSeconds: 60 });
}

const filled = ['/a=a@3', '/b=new@4', '/empty=@8', '/event=soon@9', '/\u{1f600}/large=1200000@7'];

describe('backup and restore', () => {
  it('restore every key with its revision, and no history', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    expect(await backUp('store')).toEqual({ keys: 5, revision: 9, damaged: 0 });
    expect(await restore('restored')).toEqual({ keys: 5, revision: 1009 });
    const clock = new ManualClock();
    await using store = await open('restored', clock);
    expect(await contents(store)).toEqual(filled);
    expect([await store.currentRevision(), await store.compactedRevision()]).toEqual([1009, 1009]);
    const sink = new RecordingSink();
    store.watch({ ...everything, fromRevision: 1010 }, sink);
    clock.advance(60_000);
    expect(await sink.have(1)).toEqual(['delete /event @1010 before soon@9']);
    await put(store, '/a', 'again', { after: 3 });
    expect((await sink.have(2))[1]).toBe('put /a=again @1011 before a@3');
  });

  it('end watches from later revisions as compacted', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    await backUp('store');
    await restore('restored', { later: 60_000 });
    await using store = await open('restored');
    expect(await store.currentRevision()).toBe(9 + 1000 + 600_000);
    const sink = new RecordingSink();
    store.watch({ ...everything, fromRevision: 500_000 }, sink);
    expect(await sink.ended()).toMatchObject({ keyValueErrorCode: 'Compacted' });
    await expect(store.range({ ...everything, revision: 9 })).rejects.toMatchObject({ keyValueErrorCode: 'Compacted' });
  });

  it('work on thousands of keys', async () => {
    {
      await using store = await open('store');
      await Promise.all(Array.from({ length: 3000 }, (_, i) => put(store, `/k/${i}`, `v${i}`)));
      await Promise.all(Array.from({ length: 1000 }, (_, i) => put(store, `/k/${i * 3}`, 'w', { after: i * 3 + 2 })));
    }
    await backUp('store');
    await restore('restored');
    await using before = await open('store');
    await using after = await open('restored');
    expect(await contents(after)).toEqual(await contents(before));
  });

  it('accept an empty folder, and replace an earlier backup', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    writeFileSync(file, 'an earlier one');
    await backUp('store');
    mkdirSync(place('restored'));
    await restore('restored');
    await using store = await open('restored');
    expect(await contents(store)).toEqual(filled);
  });
});

describe('two concurrent backups to one path', () => {
  const begin = (revision: number) =>
    BackupWriter.create(file, { revision, created: made.toISOString(), version: 'v1.36.0' });
  const record = (name: string) => ({ key: `/${name}`, value: Buffer.from(name), revision: 2, expiresAt: 0 });

  it('do not interfere: the last one to finish remains', async () => {
    const [first, second] = [await begin(10), await begin(20)];
    await first.add(record('first'));
    await second.add(record('second'));
    await first.finish();
    await second.finish();
    expect(readdirSync(folder.path)).toEqual(['backup']);
    expect(await restore('restored')).toEqual({ keys: 1, revision: 1020 });
    await using store = await open('restored');
    expect(await contents(store)).toEqual(['/second=second@2']);
  });

  it('do not interfere when one of them fails', async () => {
    const first = await begin(10);
    {
      await using second = await begin(20);
      await second.add(record('second'));
    }
    await first.add(record('first'));
    await first.finish();
    expect(await restore('restored')).toEqual({ keys: 1, revision: 1010 });
  });
});

describe('backUpStore', () => {
  it('removes leftovers of killed backups to the same file, and nothing else', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    const uuid = '01234567-89ab-cdef-0123-456789abcdef';
    const left = (name: string, minutesAgo: number) => {
      const written = new Date(made.getTime() - minutesAgo * 60_000);
      writeFileSync(place(name), '');
      utimesSync(place(name), written, written);
    };
    left(`backup.${uuid}.part`, 11);
    left(`backup.${uuid.replace('0', '1')}.part`, 9);
    left(`other.${uuid}.part`, 11);
    left('backup.part', 11);
    await backUp('store');
    const others = [`backup.${uuid.replace('0', '1')}.part`, 'backup.part', `other.${uuid}.part`];
    expect(readdirSync(folder.path).sort()).toEqual(['backup', ...others, 'store'].sort());
  });

  it.each([
    ['missing', () => {}, 'missing does not exist: there is no store to back up'],
    ['bare', () => mkdirSync(place('bare')), 'there is no store in'],
  ])('says that there is nothing: %s', async (name, prepare, message) => {
    prepare();
    await expect(backUp(name)).rejects.toThrow(message);
    expect(existsSync(file)).toBe(false);
    if (existsSync(place(name))) expect(readdirSync(place(name))).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('puts no file in place of a pipe, or of a device', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    execFileSync('mkfifo', [file]);
    await expect(backUp('store')).rejects.toThrow(`cannot write ${file}: it is not a regular file`);
    expect(statSync(file).isFIFO()).toBe(true);
  });

  it.skipIf(process.platform === 'win32')('replaces a link that leads nowhere', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    symlinkSync(file, file);
    await backUp('store');
    expect(lstatSync(file).isFile()).toBe(true);
  });

  it('leaves nothing behind when the store is damaged', async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    const data = join(place('store'), 'data.mdb');
    writeFileSync(data, readFileSync(data).subarray(0, 20_000));
    await expect(backUp('store')).rejects.toMatchObject({ keyValueErrorCode: 'Corrupt' });
    expect(readdirSync(folder.path)).toEqual(['store']);
  });
});

describe('restoreStore', () => {
  beforeEach(async () => {
    {
      await using store = await open('store');
      await fill(store);
    }
    await backUp('store');
  });

  it('rejects a folder that is not empty', async () => {
    await expect(restore('store')).rejects.toThrow(`${place('store')} is not empty`);
    mkdirSync(place('other'));
    writeFileSync(join(place('other'), 'note'), 'mine');
    await expect(restore('other')).rejects.toThrow('is not empty');
    expect(readdirSync(place('other'))).toEqual(['note']);
  });

  it('rejects a backup that was modified', async () => {
    const whole = readFileSync(file);
    const damaged = [
      ...[0, 10, 24, 60, 200, whole.length - 33, whole.length - 1].map((size) => whole.subarray(0, size)),
      ...[30, 90, 120, 5000, whole.length - 40, whole.length - 1].map((at) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes;
      }),
      Buffer.concat([whole, Buffer.from('x')]),
    ];
    for (const bytes of damaged) {
      writeFileSync(file, bytes);
      await expect(restore('restored')).rejects.toMatchObject({ name: 'BackupError' });
    }
    expect(readdirSync(folder.path).toSorted()).toEqual(['backup', 'store']);
  });

  it.each([
    ['another format', 'kube-apiserver-backup 2\n{}\n', 'is a backup of format 2; this version reads format 1'],
    ['something else', 'apiVersion: v1\n', 'is not a backup of kube-apiserver'],
    ['nothing', '', 'is not a backup of kube-apiserver'],
  ])('refuses %s', async (_name, text, message) => {
    writeFileSync(file, text);
    await expect(restore('restored')).rejects.toThrow(`${file} ${message}`);
  });

  it.for([
    ['16k', /^cannot write \S+\/store$/],
    ['100k', /^database space exceeded/],
  ] as const)('leaves nothing on a disk of %s, and says that it is full', async ([size, message], context) => {
    const disk = place('disk');
    mkdirSync(disk);
    using mounted = smallFileSystem(disk, size);
    if (mounted === undefined) return context.skip('mounting a small file system is not allowed here');
    await expect(restore('disk/store')).rejects.toThrow(message);
    expect(readdirSync(disk)).toEqual([]);
  });

  it('restarts after a killed restore', async () => {
    const left = `${place('restored')}.restoring`;
    mkdirSync(left);
    for (const name of ['data.mdb', 'data.mdb-lock', 'CURRENT']) writeFileSync(join(left, name), 'half');
    await restore('restored');
    await using store = await open('restored');
    expect(await contents(store)).toEqual(filled);
    expect(readdirSync(folder.path).toSorted()).toEqual(['backup', 'restored', 'store']);
  });
});
