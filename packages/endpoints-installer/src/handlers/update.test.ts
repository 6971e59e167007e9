import type { Authorizer } from '@apiserver/apiserver-contracts';
import { describe, expect, test } from 'vitest';
import { type TestExchangeOptions, testDefinition } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';
import {
  CONFIG_MAP_A,
  CONFIG_MAPS,
  configMapBody,
  type Refusal,
  recordingChain,
  refusalOf,
  serverWithA,
} from '../testing/write-fixtures.js';

const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

describe('update', () => {
  const put = (options: TestExchangeOptions = {}) => ({
    method: 'PUT',
    url: CONFIG_MAP_A,
    body: configMapBody({ data: { k: '2' } }),
    ...options,
  });

  test('replaces the stored object', async () => {
    const { status, text } = await serverWithA().call(put());
    expect([status, JSON.parse(text).data]).toEqual([200, { k: '2' }]);
  });

  test('admission sees both objects, each time', async () => {
    const { admission, seen } = recordingChain();
    await serverWithA({ admission }).call(put());
    expect(seen).toEqual(['admit UPDATE n/a a a false', 'validate UPDATE n/a a a false']);
  });

  test('for admission a namespace is in itself, whatever the operation', async () => {
    const { admission, seen } = recordingChain();
    const definition = testDefinition({ resource: 'namespaces', scope: 'Cluster' });
    const { call, storage } = createTestServer({ admission, definition });
    const url = '/api/v1/namespaces/a';
    storage.put(configMapBody({}, { uid: 'u' }));
    await call(put({ url }));
    await call({ method: 'PATCH', url, headers: { 'Content-Type': 'application/merge-patch+json' }, body: '{}' });
    await call({ method: 'DELETE', url });
    expect(seen.filter((line) => line.startsWith('admit'))).toEqual([
      'admit UPDATE a/a a a false',
      'admit UPDATE a/a a a false',
      'admit DELETE a/a  a false',
    ]);
  });

  test('duplicates from admission are dropped too', async () => {
    const { admission } = recordingChain({
      admit: ({ object }) => {
        if (object) object.metadata.ownerReferences = [OWNER, { ...OWNER }, { ...OWNER }];
      },
    });
    const { text, warnings } = await serverWithA({ admission }).call(put());
    expect([JSON.parse(text).metadata.ownerReferences, warnings]).toEqual([
      [OWNER],
      [
        '.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u, u',
      ],
    ]);
  });

  test('a uid in the body is a precondition', async () => {
    const made = serverWithA();
    const seen: unknown[] = [];
    const { update } = made.storage;
    made.storage.update = (context, request) => {
      seen.push(request.objectInfo.preconditions);
      return update(context, request);
    };
    await made.call(put());
    await made.call(put({ body: configMapBody({}, { uid: 'x' }) }));
    expect(seen).toEqual([undefined, { uid: 'x' }]);
  });

  const allowCreateOnUpdate = { strategy: { ...testDefinition().strategy, allowCreateOnUpdate: true } };
  const user = { name: 'u', groups: [], extra: {} };
  test('creates where the strategy allows it, if the user may create', async () => {
    const { admission, seen } = recordingChain();
    const requested: string[] = [];
    const authorizer: Authorizer = {
      authorize: ({ verb, resource, namespace, name }) => {
        requested.push(`${verb} ${resource} ${namespace}/${name}`);
        return { decision: 'Allow', reason: '' };
      },
    };
    const made = createTestServer({ admission, authorizer, definition: testDefinition(allowCreateOnUpdate) });
    const { status } = await made.call(put({ user }));
    expect([status, requested, seen]).toEqual([
      201,
      ['create configmaps n/a'],
      ['admit CREATE n/a a  false', 'validate CREATE n/a a  false'],
    ]);
  });

  const CANNOT =
    'configmaps "a" is forbidden: User "u" cannot create resource "configmaps" in API group "" in the namespace "n"';
  test.each<readonly [string, ReturnType<Authorizer['authorize']>, number, string]>([
    ['no opinion', { decision: 'NoOpinion', reason: 'no rule' }, 403, `${CANNOT}: no rule`],
    ['a denial without a reason', { decision: 'Deny', reason: '' }, 403, CANNOT],
    ['an error', { decision: 'Deny', reason: '', error: new Error('down') }, 500, 'Internal error occurred: down'],
  ])('does not create with %s', async (_, result, code, message) => {
    const authorizer: Authorizer = { authorize: () => result };
    const made = createTestServer({ authorizer, definition: testDefinition(allowCreateOnUpdate) });
    expect(await refusalOf(made, put({ user }))).toEqual([code, message]);
  });

  test.each<Refusal>([
    [
      'another name',
      { body: configMapBody({}, { name: 'b' }) },
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'no name',
      { body: { apiVersion: 'v1', kind: 'ConfigMap' } },
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    [
      'another namespace',
      { body: configMapBody({}, { namespace: 'm' }) },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a name that is not there',
      { url: `${CONFIG_MAPS}/b`, body: configMapBody({}, { name: 'b' }) },
      404,
      'configmaps "b" not found',
    ],
    [
      'a wrong option',
      { url: `${CONFIG_MAP_A}?dryRun=x` },
      422,
      'UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
    ],
  ])('refuses %s', async (_, options, code, message) => {
    expect(await refusalOf(serverWithA(), put(options))).toEqual([code, message]);
  });

  const tooMuch = { body: { x: 'x'.repeat(3 * 1024 * 1024) } };
  const plain = { headers: { 'Content-Type': 'text/plain' } };
  const options = { url: `${CONFIG_MAP_A}?dryRun=x` };
  const accept = { headers: { Accept: 'image/png', 'Content-Type': 'text/plain' } };
  test.each<readonly [string, string, TestExchangeOptions, number]>([
    ['an update', 'PUT', { ...tooMuch, ...plain, ...options }, 413],
    ['an update', 'PUT', { ...plain, ...options }, 422],
    ['an update', 'PUT', { ...plain, body: '[' }, 415],
    ['an update', 'PUT', { ...tooMuch, ...options, ...accept }, 406],
    ['a create', 'POST', { ...tooMuch, ...plain, ...options }, 415],
    ['a create', 'POST', { ...tooMuch, ...options }, 413],
    ['a create', 'POST', { ...options, body: '[' }, 422],
    ['a create', 'POST', { ...tooMuch, ...accept }, 406],
  ])('%s (%s) says first what upstream says first: %#', async (_, method, given, code) => {
    const url = method === 'POST' ? (given.url ?? CONFIG_MAPS).replace('/a?', '?') : given.url;
    const { status } = await serverWithA().call(put({ ...given, method, ...(url && { url }) }));
    expect(status).toBe(code);
  });

  test('another version of the kind is not the one in the path', async () => {
    const { versions } = testDefinition();
    const v1 = versions[0]!;
    const definition = testDefinition({ group: '', versions: [v1, { ...v1, version: 'v2' }] });
    expect(await refusalOf(serverWithA({ definition }), put({ body: configMapBody({ apiVersion: 'v2' }) }))).toEqual([
      400,
      'the API version in the data (v2) does not match the expected API version (v1)',
    ]);
  });

  test('another version of the kind is decoded in that version first', async () => {
    const { versions } = testDefinition();
    const v1 = versions[0]!;
    const v2 = { ...v1, version: 'v2', schema: { ...v1.schema, gvk: { ...v1.schema.gvk, version: 'v2' } } };
    const server = serverWithA({ definition: testDefinition({ group: '', versions: [v1, v2] }) });
    const update = (validation: string) =>
      put({ url: `${CONFIG_MAP_A}?fieldValidation=${validation}`, body: configMapBody({ apiVersion: 'v2', x: 1 }) });
    const { status, warnings } = await server.call(update('Warn'));
    expect([await refusalOf(server, update('Strict')), status, warnings]).toEqual([
      [400, 'ConfigMap in version "v2" cannot be handled as a ConfigMap: strict decoding error: unknown field "x"'],
      400,
      ['unknown field "x"'],
    ]);
  });
});
