import { freezeJson } from '@apiserver/apimachinery/json';
import { describe, expect, it } from 'vitest';
import type { TestExchangeOptions } from '../testing/test-exchange.js';
import { CONFIG_MAP_A, configMapBody, serverWithA } from '../testing/write-fixtures.js';

/** An update with two attempts; the first attempt's object is frozen, as after admission. */
async function triedTwice(sent: Pick<TestExchangeOptions, 'body' | 'inProcess'>) {
  const server = serverWithA();
  const { update } = server.storage;
  const tries: unknown[] = [];
  server.storage.update = (context, request) => {
    const { objectInfo } = request;
    const updatedObject: typeof objectInfo.updatedObject = async (...given) => {
      const first = await objectInfo.updatedObject(...given);
      tries.push(structuredClone(first));
      first.metadata.labels = { changed: 'by the first try' };
      freezeJson(first);
      const second = await objectInfo.updatedObject(...given);
      tries.push(structuredClone(second));
      return second;
    };
    return update.call(server.storage, context, { ...request, objectInfo: { ...objectInfo, updatedObject } });
  };
  const { status, warnings } = await server.call({ method: 'PUT', url: CONFIG_MAP_A, ...sent });
  return { status, warnings, tries };
}

describe('an update with two attempts', () => {
  it.each([
    ['small', ''],
    ['large', ' '.repeat(65_536)],
  ])('starts from the object that was sent: %s', async (_, padding) => {
    const body = JSON.stringify(configMapBody({ data: { k: '2' }, unknown: 1 }));
    const { status, warnings, tries } = await triedTwice({ body: body + padding });
    const [first, second] = tries;
    expect([status, warnings, second]).toEqual([200, ['unknown field "unknown"'], first]);
    expect(second).toMatchObject({ data: { k: '2' } });
  });

  it('starts from the object that a caller in this process sent, and leaves that as it is', async () => {
    const body = configMapBody({ data: { k: '2' } });
    const before = structuredClone(body);
    const { status, tries } = await triedTwice({ inProcess: { body } });
    const [first, second] = tries;
    expect([status, second, body, Object.isFrozen(body)]).toEqual([200, first, before, false]);
    expect(second).toMatchObject({ data: { k: '2' } });
  });
});
