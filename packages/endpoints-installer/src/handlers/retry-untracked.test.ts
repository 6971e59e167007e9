import type { KubeObject } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { freezeJson } from '@apiserver/apimachinery/json';
import { describe, expect, test } from 'vitest';
import type { TestExchangeOptions } from '../testing/index.js';
import type { TestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody, refusalOf, serverWithA } from '../testing/write-fixtures.js';

/** A server whose storage refuses what `refuses` says, as the real one does. Keeps whether what it was given was tracked. */
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

/** The object of the fixture was made behind the server's back: only a tracked one goes on being tracked. */
async function track({ call }: TestServer): Promise<void> {
  await call(patch('apply-patch+yaml', configMapBody({ data: { first: '1' } })));
}

describe('a write that storage finds too large', () => {
  test.each(WRITES)('is tried again without managed fields: %s', async (_, options) => {
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

  test.each(WRITES)('is refused when it is too large all the same: %s', async (_, options) => {
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

  test('can be changed again, although validating admission has seen it', async () => {
    const { server, seen } = strictServer('TooLarge', isTracked);
    const { create } = server.storage;
    // As a strategy does that fills in what belongs to the object, before all of it is frozen for validation.
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

  test('is not tried again when it is an apply: managed fields are what it is about', async () => {
    const { server, seen } = strictServer('TooLarge', isTracked);
    const apply = patch('apply-patch+yaml', configMapBody({ data: { other: '1' } }));
    expect((await refusalOf(server, apply))[0]).toBe(500);
    expect(seen).toEqual([true]);
  });

  test('is not tried again for another failure', async () => {
    const { server, seen } = strictServer('NoSpace', isTracked);
    const create = { method: 'POST', url: CONFIG_MAPS, body: configMapBody(data, { name: 'b' }) };
    expect((await refusalOf(server, create))[0]).toBe(500);
    expect(seen).toEqual([true]);
  });
});
