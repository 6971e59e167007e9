import { Eviction } from '@apiserver/api/policy/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { SubresourceDefinition } from '@apiserver/apiserver-contracts';
import { describe, expect, test } from 'vitest';
import { testDefinition } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A } from '../testing/write-fixtures.js';

/** A subresource that accepts orders and creates no object. */
function orders(changes: Partial<SubresourceDefinition> = {}) {
  const definition = testDefinition();
  const order: SubresourceDefinition = {
    strategy: definition.strategy,
    verbs: ['create'],
    schema: Eviction,
    ...changes,
  };
  const made = createTestServer({ definition: { ...definition, subresources: { order } } });
  const taken: KubeObject[] = [];
  made.storage.create = async (_context, object) => {
    taken.push(object);
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
    return { object: status, resourceVersion: '', wire: () => undefined };
  };
  const send = async (body: object, headers: Record<string, string> = {}) => {
    const whole = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' }, ...body };
    const { status, text } = await made.call({
      method: 'POST',
      url: `${CONFIG_MAP_A}/order`,
      body: JSON.stringify(whole),
      headers,
    });
    return { status, text };
  };
  return { send, taken };
}

describe('an order', () => {
  test('returns a Status, whose code is that of the response', async () => {
    const { send } = orders();
    expect(await send({})).toEqual({
      status: 201,
      text: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}\n',
    });
  });

  test('is returned in the requested encoding', async () => {
    const { text } = await orders().send({}, { Accept: 'application/yaml' });
    expect(text).toContain('status: Success\n');
  });

  test.each([
    [{}, undefined],
    [{ preservesSystemFields: true }, 'u'],
  ])('with %j has the uid %j of its body', async (changes, uid) => {
    const { send, taken } = orders(changes);
    await send({ metadata: { name: 'a', uid: 'u' } });
    expect(taken[0]?.metadata.uid).toBe(uid);
  });

  test.each([
    [{}, 'policy/v1beta1', 400],
    [{ acceptsVersions: ['v1beta1'] }, 'policy/v1beta1', 201],
    [{ acceptsVersions: ['v1beta1'] }, 'policy/v1beta2', 400],
  ])('with %j in %s gets %i', async (changes, apiVersion, code) => {
    expect((await orders(changes).send({ apiVersion })).status).toBe(code);
  });
});
