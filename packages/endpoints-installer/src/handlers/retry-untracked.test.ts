import type { KubeObject } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { freezeJson } from '@apiserver/apimachinery/json';
import { describe, expect, test } from 'vitest';
import type { TestExchangeOptions } from '../testing/index.js';
import type { TestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody, refusalOf, serverWithA } from '../testing/write-fixtures.js';

/**
 * A server whose storage rejects objects for which `refuses` returns true. Records whether the objects were tracked.
 */
function strictServer(storageErrorCode: string, refuses: (object: KubeObject) => boolean) {
  const server = serverWithA();
  const seen: boolean[] = [];
  const look = (object: KubeObject): void => {
    seen.push(object.metadata.managedFields !== undefined);
    if (!refuses(object)) return;
    const cause = Object.assign(new Error('etcdserver: request is too large'), { storageErrorCode });
    throw Object.assign(newInternalError(cause), { cause });
  };
  const { create, update } = server.storage;
  server.storage.create = async (context, object, ...rest) => {
    look(object);
    return create.call(server.storage, context, object, ...rest);
  };
  server.storage.update = (context, request) => {
    const { objectInfo } = request;
    const updatedObject: typeof objectInfo.updatedObject = async (...given) => {
      const object = await objectInfo.updatedObject(...given);
      look(object);
      return object;
    };
    return update.call(server.storage, context, { ...request, objectInfo: { ...objectInfo, updatedObject } });
  };
  return { server, seen };
}

const isTracked = ({ metadata }: KubeObject): boolean => metadata.managedFields !== undefined;
const data = { data: { k: '2' } };
const patch = (type: string, body: object): TestExchangeOptions => {
  const query = type === 'apply-patch+yaml' ? '?fieldManager=m' : '';
  const headers = { 'content-type': `application/${type}` };
  return { method: 'PATCH', url: `${CONFIG_MAP_A}${query}`, headers, body };
};
const WRITES: readonly (readonly [string, TestExchangeOptions])[] = [
  ['create', { method: 'POST', url: CONFIG_MAPS, body: configMapBody(data, { name: 'b' }) }],
  ['update', { method: 'PUT', url: CONFIG_MAP_A, body: configMapBody(data) }],
  ['merge patch', patch('merge-patch+json', data)],
  ['strategic merge patch', patch('strategic-merge-patch+json', data)],
];

/** Makes the object of the fixture a tracked one, because it was put into the storage directly. */
async function track({ call }: TestServer): Promise<void> {
  await call(patch('apply-patch+yaml', configMapBody({ data: { first: '1' } })));
}

describe('a write that is too large for storage', () => {
  test.each(WRITES)('is retried without managed fields: %s', async (_, options) => {
    let strict = false;
    const { server, seen } = strictServer('TooLarge', (object) => strict && isTracked(object));
    await track(server);
    strict = true;
    seen.length = 0;
    const { status, text } = await server.call(options);
    expect([status < 300, seen]).toEqual([true, [true, false]]);
    expect(JSON.parse(text).data).toMatchObject(data.data);
    expect(JSON.parse(text).metadata.managedFields).toBeUndefined();
  });

  test.each(WRITES)('is rejected if it is still too large: %s', async (_, options) => {
    let strict = false;
    const { server, seen } = strictServer('TooLarge', () => strict);
    await track(server);
    strict = true;
    seen.length = 0;
    expect(await refusalOf(server, options)).toEqual([
      500,
      'Internal error occurred: etcdserver: request is too large',
    ]);
    expect(seen).toEqual([true, false]);
  });

  test('can be changed again after validating admission', async () => {
    const { server, seen } = strictServer('TooLarge', isTracked);
    const { create } = server.storage;
    // Like a strategy that fills in members before the object is frozen for validation.
    server.storage.create = (context, object, ...rest) => {
      Object.assign(object['data'] as object, { filledIn: 'x' });
      freezeJson({ ...object, metadata: { ...object.metadata } });
      return create.call(server.storage, context, object, ...rest);
    };
    const { status, text } = await server.call({
      method: 'POST',
      url: CONFIG_MAPS,
      body: configMapBody(data, { name: 'b' }),
    });
    expect([status, JSON.parse(text).data, seen]).toEqual([201, { k: '2', filledIn: 'x' }, [true, false]]);
  });

  test('is not retried if it is an apply, which depends on managed fields', async () => {
    const { server, seen } = strictServer('TooLarge', isTracked);
    const apply = patch('apply-patch+yaml', configMapBody({ data: { other: '1' } }));
    expect((await refusalOf(server, apply))[0]).toBe(500);
    expect(seen).toEqual([true]);
  });

  test('is not retried after another failure', async () => {
    const { server, seen } = strictServer('NoSpace', isTracked);
    const create = { method: 'POST', url: CONFIG_MAPS, body: configMapBody(data, { name: 'b' }) };
    expect((await refusalOf(server, create))[0]).toBe(500);
    expect(seen).toEqual([true]);
  });
});
