import { systemClock } from '@apiserver/apimachinery/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { interpretError } from '../interpret-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { newCorruptObjectError, newReportedCorruptObjectError } from '../storage-error.js';
import type { StorageProviderOptions } from '../storage-provider.js';
import { newGenericStore } from '../store/generic-store.js';
import { create, listOptions, names, reportedError } from '../testing/suites/storage-suite-fixture.js';
import { testContext, type Widget } from '../testing/widget.js';
import { WIDGETS } from '../testing/widget-cache.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import type { Transformer } from './transformer.js';
import { UnreadableObjects } from './unreadable-objects.js';

let store: KeyValueStore;
beforeEach(() => {
  store = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

/** Cannot decrypt values that begin with an x. */
const transformer: Transformer = {
  constant: true,
  fromStorage: (bytes) => {
    if (bytes[0] === 0x78) throw new Error('no key for it');
    return { bytes, stale: false };
  },
  toStorage: (bytes) => bytes,
};

const definition = storedWidgetDefinition();

async function unreadable(count = 0): Promise<void> {
  const put = (name: string, value: string) =>
    store.commit({ type: 'put', key: WIDGETS + name, value: Buffer.from(value), expectedRevision: 0 });
  await put('ns/torn', '{"kind":');
  await put('other/secret', 'x?');
  for (let i = 0; i < count; i++) await put(`many/${String(i).padStart(3, '0')}`, '{');
}

function open(options: Partial<StorageProviderOptions> = {}) {
  const provider = createStorageProvider({
    store,
    clock: systemClock,
    codecFor: memoizedCodecs(),
    transformerFor: () => transformer,
    ...options,
  });
  const storage = provider.storageFor<Widget>(definition);
  const verbs = newGenericStore({ definition, storage, clock: systemClock, random: () => 0, newUid: () => 'uid' });
  return { storage, verbs, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

const messageOf = async (call: Promise<unknown>): Promise<unknown> => {
  const status = (await reportedError(call)) as { message?: string };
  return status.message;
};

describe.each([
  ['behind a cache', {}],
  ['without a cache', { uncached: () => true }],
])('objects that cannot be read, %s', (_, options) => {
  it('are named by lists that include them', async () => {
    await unreadable();
    await using made = open(options);
    const { storage } = made;
    await create(storage, 'fine/a');
    expect(await messageOf(storage.list('', listOptions()))).toMatch(
      /^unable to decode key "\/registry\/example.com\/widgets\/ns\/torn": /,
    );
    expect(await messageOf(storage.list('other/', listOptions()))).toBe(
      'Internal error occurred: unable to transform key "/registry/example.com/widgets/other/secret": no key for it',
    );
    expect(names(await storage.list('fine/', listOptions()))).toEqual(['a@4']);
  });

  it('are all named where they can be deleted', async () => {
    await unreadable();
    await using made = open({ ...options, unsafeDeletion: true });
    const { storage } = made;
    await create(storage, 'fine/a');
    const at = (key: string, what: string) => ({
      reason: 'UnexpectedServerResponse',
      field: WIDGETS + key,
      message: expect.stringContaining(
        `StorageError: corrupt object, Code: 7, Key: ${WIDGETS}${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}`,
      ),
    });
    expect(await reportedError(storage.list('', listOptions()))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 500,
      message: 'failed to read one or more widgets.example.com from the storage',
      reason: 'StoreReadError',
      details: {
        name: 'list',
        group: 'example.com',
        kind: 'widgets',
        causes: [
          at('ns/torn', 'object not decodable revision=2: '),
          at('other/secret', 'data from the storage is not transformable revision=0: no key for it'),
        ],
      },
    });
    expect(await messageOf(storage.list('other/', listOptions({ field: 'metadata.name=secret' })))).toBe(
      'failed to read one or more widgets.example.com from the storage',
    );
    expect(await messageOf(storage.get('other/secret', {}))).toBe(
      'Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/widgets/other/secret, ' +
        'ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: no key for it',
    );
  });

  it('are named up to a hundred', async () => {
    await unreadable(200);
    await using made = open({ ...options, unsafeDeletion: true });
    const status = (await reportedError(made.storage.list('', listOptions()))) as { details: { causes: object[] } };
    expect([status.details.causes.length, status.details.causes[100]]).toEqual([
      101,
      { reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' },
    ]);
  });

  it('can be deleted, and no others', async () => {
    await unreadable();
    await using made = open({ ...options, unsafeDeletion: true });
    const { storage, verbs } = made;
    await create(storage, 'fine/a');
    const remove = (namespace: string, name: string) => verbs.deleteCorrupt(testContext({ namespace }), name);
    expect(await remove('ns', 'torn')).toEqual({ deleted: true });
    expect(await remove('other', 'secret')).toEqual({ deleted: true });
    const refused = async (namespace: string, name: string) =>
      await messageOf(
        remove(namespace, name).catch((error: unknown) => {
          throw interpretError(error, definition, name);
        }),
      );
    const why =
      'is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete ' +
      'corrupt object(s), try again by removing this option';
    expect(await refused('fine', 'a')).toBe(`widgets.example.com "a" ${why}`);
    expect(await refused('ns', 'torn')).toBe(`widgets.example.com "torn" ${why}`);
    await expect.poll(async () => names(await storage.list('', listOptions()))).toEqual(['a@4']);
  });
});

describe('the errors of a list', () => {
  const torn = newCorruptObjectError('/registry/k', new Error('torn'));
  const other = new Error('the webhook is away');
  const at = { key: '/registry/k', modRevision: 7 };

  it('end it at once if they are not of unreadable objects', () => {
    expect(() => new UnreadableObjects({ group: '', resource: 'pods' }).add(other, at)).toThrow(other);
    expect(new UnreadableObjects({ group: '', resource: 'pods' }).check()).toBeUndefined();
  });

  it('name the unreadable objects so far instead of another error', () => {
    const errors = new UnreadableObjects({ group: '', resource: 'pods' });
    errors.add(torn, at);
    const message = expect.stringContaining('object not decodable revision=7: torn');
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 500,
      reason: 'StoreReadError',
      message: 'failed to read one or more pods from the storage',
      details: {
        name: 'list',
        kind: 'pods',
        causes: [{ reason: 'UnexpectedServerResponse', field: '/registry/k', message }],
      },
    };
    for (const ended of [() => errors.add(other, at), () => errors.check()]) {
      let failure: unknown;
      try {
        ended();
      } catch (error) {
        failure = error;
      }
      expect((failure as { status?: unknown }).status).toStrictEqual(status);
    }
  });

  it('have a group if the resource has one', () => {
    const errors = new UnreadableObjects({ group: 'apps', resource: 'deployments' });
    errors.add(newReportedCorruptObjectError('k', 'damaged', undefined), at);
    expect(() => errors.check()).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({ details: expect.objectContaining({ group: 'apps' }) }),
      }),
    );
  });
});
