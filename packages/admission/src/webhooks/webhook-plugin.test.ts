import type { ServerResponse } from 'node:http';
import type { KubeObject } from '@apiserver/apimachinery';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook, type TestWebhook } from '@apiserver/webhook/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configMap, WebhookFixture } from '../testing/webhook-fixture.js';
import type { WebhookFields } from './configured-webhook.js';
import type { WebhookConfiguration } from './webhook-source.js';

const authority = makeTestCertificate({ commonName: 'webhooks', authority: true });
const serving = makeTestCertificate({ issuer: authority, hosts: ['hook.ns.svc', '127.0.0.1'] });

/** A request as webhooks receive it. */
interface Review {
  readonly apiVersion: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string };
}

type Respond = (
  path: string,
  review: Review,
  response: ServerResponse,
) => object | undefined | Promise<object | undefined>;

const allow: Respond = (_, { request }) => reviewOf({ uid: request.uid, allowed: true });
let respond: Respond = allow;
let seen: { readonly path: string; readonly review: Review }[] = [];
let webhook: TestWebhook;

beforeAll(async () => {
  webhook = await startTestWebhook(serving, async ({ url, body }, response) => {
    const path = url.slice(1, url.indexOf('?'));
    const review = JSON.parse(body);
    seen.push({ path, review });
    return await respond(path, review, response);
  });
});
afterAll(() => webhook[Symbol.asyncDispose]());
beforeEach(() => {
  respond = allow;
  seen = [];
});

const reviewOf = (response: object, apiVersion = 'admission.k8s.io/v1') => ({
  apiVersion,
  kind: 'AdmissionReview',
  response,
});

function hook(name: string, more: Partial<WebhookFields> = {}): WebhookFields {
  return {
    name,
    clientConfig: {
      service: { namespace: 'ns', name: 'hook', path: `/${name}` },
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
    namespaceSelector: {},
    objectSelector: {},
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
}

function configuration(name: string, ...webhooks: readonly WebhookFields[]): WebhookConfiguration {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'X', metadata: { name }, webhooks };
}

const fixture = (changes?: ConstructorParameters<typeof WebhookFixture>[2]) =>
  new WebhookFixture(() => webhook.port, {}, changes);

function patched(uid: string, ...operations: readonly object[]): object {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return reviewOf({ uid, allowed: true, patch, patchType: 'JSONPatch' });
}

/** The outcome of a request that one webhook of each kind has seen. */
async function outcomeOf(response: Respond, more: Partial<WebhookFields> = {}) {
  respond = response;
  const made = fixture();
  made.mutating.put(configuration('m', hook('mutate.example.com', more)));
  return await made.run();
}

describe('a validating webhook', () => {
  const validate = async (response: Respond, more: Partial<WebhookFields> = {}, changes = {}) => {
    respond = response;
    const made = fixture();
    made.validating.put(configuration('v', hook('deny.example.com', more)));
    return { ...(await made.run(changes)), made };
  };

  it.each<[string, object, number, string]>([
    ['without a result', {}, 400, 'denied the request without explanation'],
    ['with a message', { status: { message: 'no' } }, 400, 'denied the request: no'],
    ['with a reason', { status: { reason: 'Busy', code: 409 } }, 409, 'denied the request: Busy'],
    ['with a success', { status: { code: 200, status: 'Success', message: 'x' } }, 400, 'denied the request: x'],
    ['with a status of its own', { status: { status: 'Odd' } }, 400, 'denied the request without explanation'],
  ])('denies %s', async (_, response, code, text) => {
    const { refused } = await validate((_path, { request: { uid } }) => reviewOf({ uid, allowed: false, ...response }));
    const { reason, status } = Object({ ...response }).status ?? {};
    const shown = [code, status === 'Odd' ? 'Odd' : 'Failure', `admission webhook "deny.example.com" ${text}`];
    expect([refused?.code, refused?.status, refused?.message]).toEqual(shown);
    expect(Object.entries(refused ?? {}).filter(([key]) => key === 'reason')).toEqual(
      reason ? [['reason', reason]] : [],
    );
  });

  it.each<[string, Respond, string]>([
    [
      'another uid',
      () => reviewOf({ uid: 'x', allowed: true }),
      'received invalid webhook response: expected response.uid="uid-1", got "x"',
    ],
    [
      'no response',
      () => ({ ...reviewOf({}), response: undefined }),
      'received invalid webhook response: webhook response was absent',
    ],
    [
      'no kind',
      (_path, { request: { uid } }) => ({ response: { uid, allowed: true } }),
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    ],
    [
      'a patch',
      (_path, { request: { uid } }) => patched(uid, { op: 'test', path: '', value: {} }),
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
    [
      'a type of patch',
      (_path, { request: { uid } }) => reviewOf({ uid, allowed: true, patchType: 'JSONPatch' }),
      'received invalid webhook response: validating webhook may not return response.patchType',
    ],
    [
      'another version',
      () => reviewOf({}, 'admission.k8s.io/v1beta1'),
      'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    ],
    [
      'another kind',
      () => ({ apiVersion: 'example.com/v1', kind: 'Foo' }),
      'failed to call webhook: no kind "Foo" is registered for version "example.com/v1" in scheme "pkg/util/webhook/client.go:71"',
    ],
    [
      'a field of another type',
      () => reviewOf({ uid: 'x', allowed: 'yes' }),
      'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    [
      'a list',
      () => [1],
      'failed to call webhook: couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
    [
      'garbage',
      (_path, _review, response) => void response.end('<html>no</html>'),
      'failed to call webhook: couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
    [
      'nothing',
      (_path, _review, response) => void response.end(),
      'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
    ],
    [
      'an error',
      () => {
        throw new TypeError('broken');
      },
      'failed to call webhook: an error on the server ("TypeError: broken") has prevented the request from succeeding',
    ],
  ])('fails closed or open on %s', async (_, response, text) => {
    const closed = await validate(response);
    const open = await validate(response, { failurePolicy: 'Ignore' });
    const key = 'failed-open.validating.webhook.admission.k8s.io/round_0_index_0';
    expect([closed.refused?.code, closed.refused?.message, open.refused, open.annotations]).toEqual([
      500,
      `Internal error occurred: failed calling webhook "deny.example.com": ${text}`,
      undefined,
      { [key]: 'deny.example.com' },
    ]);
  });

  it('receives the request as upstream writes it', async () => {
    const object = configMap({ k: '<' });
    await validate(allow, {}, { object, dryRun: true, options: { dryRun: ['All'], fieldManager: 'm' } });
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    expect(seen.map(({ review }) => review)).toEqual([
      {
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
        request: {
          uid: 'uid-1',
          kind,
          resource,
          requestKind: kind,
          requestResource: resource,
          name: 'a',
          namespace: 'ns',
          operation: 'CREATE',
          userInfo: { username: 'alice', groups: ['dev'] },
          object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'ns' }, data: { k: '<' } },
          oldObject: null,
          dryRun: true,
          options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'm' },
        },
      },
    ]);
    expect(Object.keys(seen[0]?.review.request ?? {}).slice(-6)).toEqual([
      'operation',
      'userInfo',
      'object',
      'oldObject',
      'dryRun',
      'options',
    ]);
  });

  it('receives deletes without an object, and connections without options', async () => {
    await validate(allow, {}, { operation: 'DELETE', object: undefined, oldObject: configMap() });
    await validate(allow, {}, { operation: 'CONNECT', subresource: 'proxy' });
    const parts = seen.map(({ review: { request } }) => {
      const { operation, object, oldObject, options, subResource, requestSubResource } = request;
      return [operation, object !== null, oldObject !== null, options, subResource, requestSubResource];
    });
    const deleteOptions = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
    expect(parts).toEqual([
      ['DELETE', false, true, deleteOptions, undefined, undefined],
      ['CONNECT', true, false, null, 'proxy', 'proxy'],
    ]);
  });

  it('receives reviews in the first version that both know', async () => {
    const beta = (_path: string, { apiVersion }: Review) => reviewOf({ allowed: true }, apiVersion);
    const versions = [['v2', 'v1beta1', 'v1'], ['v1', 'v1beta1'], ['v9']];
    const results = [];
    for (const admissionReviewVersions of versions) {
      respond = beta;
      const { refused } = await validate(beta, { admissionReviewVersions });
      results.push(refused?.message ?? 'admitted');
    }
    expect(seen.map(({ review }) => review.apiVersion)).toEqual(['admission.k8s.io/v1beta1', 'admission.k8s.io/v1']);
    expect([results[0], results[2]]).toEqual([
      'admitted',
      'Internal error occurred: failed calling webhook "deny.example.com": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    ]);
  });

  it('adds warnings and audit annotations', async () => {
    const { warnings, annotations } = await validate((_path, { request: { uid } }) =>
      reviewOf({ uid, allowed: true, warnings: ['careful'], auditAnnotations: { key: 'value' } }),
    );
    expect([warnings, annotations]).toEqual([['careful'], { 'deny.example.com/key': 'value' }]);
  });

  it.each<[string | undefined, string | undefined]>([
    ['None', undefined],
    ['NoneOnDryRun', undefined],
    ['Some', 'admission webhook "deny.example.com" does not support dry run'],
    [undefined, 'Internal error occurred: failed calling webhook "deny.example.com": Webhook SideEffects is nil'],
  ])('with side effects %s receives dry runs or not', async (sideEffects, message) => {
    const { refused } = await validate(allow, { sideEffects: sideEffects ?? null }, { dryRun: true });
    expect(refused?.message).toBe(message);
  });

  it('is called at the same time as the others, and its metrics count it', async () => {
    let waiting = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    respond = async (path, { request: { uid } }) => {
      waiting++;
      if (waiting === 2) resolve();
      await promise;
      return reviewOf({ uid, allowed: path !== 'b.example.com' });
    };
    const made = fixture();
    made.validating.put(configuration('v', hook('a.example.com'), hook('b.example.com')));
    const { refused } = await made.run();
    expect(refused?.message).toBe('admission webhook "b.example.com" denied the request without explanation');
    expect([
      await made.metrics('apiserver_admission_webhook_request_total'),
      await made.metrics('apiserver_admission_webhook_rejection_count'),
    ]).toEqual([
      [
        `apiserver_admission_webhook_request_total{code="200",name="a.example.com",operation="CREATE",rejected="false",type="validating"} 1`,
        `apiserver_admission_webhook_request_total{code="400",name="b.example.com",operation="CREATE",rejected="true",type="validating"} 1`,
      ],
      [
        `apiserver_admission_webhook_rejection_count{error_type="no_error",name="b.example.com",operation="CREATE",rejection_code="400",type="validating"} 1`,
      ],
    ]);
  });

  it('is cut off at its timeout', async () => {
    const never = () => new Promise<undefined>(() => {});
    const { refused } = await validate(never, { timeoutSeconds: 1 });
    expect(refused?.message).toBe(
      'Internal error occurred: failed calling webhook "deny.example.com": failed to call webhook: Post "https://hook.ns.svc:443/deny.example.com?timeout=1s": context deadline exceeded',
    );
  });
});

describe('a webhook that the time of the request cuts off', () => {
  const POST = 'Post "https://hook.ns.svc:443/slow.example.com?timeout=1s": context deadline exceeded';
  const FAILED = `Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: ${POST}`;

  it.for([
    ['mutating', 'Fail', 10, 500, FAILED],
    ['validating', 'Fail', 10, 500, FAILED],
    ['validating', 'Fail', undefined, 500, FAILED],
    ['validating', 'Fail', 1, 3_600_000, FAILED],
    ['mutating', 'Ignore', 10, 500, 'Timeout: request did not complete within requested timeout'],
    ['validating', 'Ignore', 10, 500, 'Timeout: request did not complete within requested timeout'],
  ] as const)('refuses the request: %s, %s, %s s of %d ms', async ([kind, failurePolicy, seconds, left, message]) => {
    respond = () => new Promise(() => {});
    const made = fixture();
    const timeout = seconds === undefined ? {} : { timeoutSeconds: seconds };
    made[kind].put(configuration('c', hook('slow.example.com', { failurePolicy, ...timeout })));
    const { refused } = await made.run({ deadline: performance.now() + left });
    expect(refused?.message).toBe(message);
  });
});

describe('a mutating webhook', () => {
  const add = (path: string, value: unknown) => ({ op: 'add', path, value });

  it('changes the object, and each sees what the last one left', async () => {
    respond = (path, { request: { uid } }) => patched(uid, add(`/data/${path[0]}`, 'x'));
    const made = fixture();
    made.mutating.put(configuration('second', hook('b.example.com')));
    made.mutating.put(configuration('first', hook('a.example.com'), hook('c.example.com')));
    const { object, annotations } = await made.run();
    const data = seen.map(({ review: { request } }) => (request['object'] as KubeObject)['data']);
    expect([object?.['data'], seen.map(({ path }) => path), data]).toEqual([
      { k: '1', a: 'x', c: 'x', b: 'x' },
      ['a.example.com', 'c.example.com', 'b.example.com'],
      [{ k: '1' }, { k: '1', a: 'x' }, { k: '1', a: 'x', c: 'x' }],
    ]);
    expect(annotations).toEqual({
      'mutation.webhook.admission.k8s.io/round_0_index_0':
        '{"configuration":"first","webhook":"a.example.com","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_0':
        'Request: {"configuration":"first","webhook":"a.example.com","patch":[{"op":"add","path":"/data/a","value":"x"}],"patchType":"JSONPatch"}',
      'mutation.webhook.admission.k8s.io/round_0_index_1':
        '{"configuration":"first","webhook":"c.example.com","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_1':
        'Request: {"configuration":"first","webhook":"c.example.com","patch":[{"op":"add","path":"/data/c","value":"x"}],"patchType":"JSONPatch"}',
      'mutation.webhook.admission.k8s.io/round_0_index_2':
        '{"configuration":"second","webhook":"b.example.com","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_2':
        'Request: {"configuration":"second","webhook":"b.example.com","patch":[{"op":"add","path":"/data/b","value":"x"}],"patchType":"JSONPatch"}',
    });
  });

  it.each<[string, (uid: string) => object, string]>([
    [
      'a missing path',
      (uid) => patched(uid, add('/x/y', 1)),
      'Internal error occurred: add operation does not apply: doc is missing path: "/x/y": missing value',
    ],
    [
      'a value of another type',
      (uid) => patched(uid, add('/data', 'x')),
      'Internal error occurred: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'a patch that is no patch',
      (uid) => reviewOf({ uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from('{}').toString('base64') }),
      'Internal error occurred: failed calling webhook "mutate.example.com": received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    ],
    [
      'another type of patch',
      (uid) => reviewOf({ uid, allowed: true, patchType: 'Merge', patch: Buffer.from('[{}]').toString('base64') }),
      'Internal error occurred: failed calling webhook "mutate.example.com": unsupported patch type "Merge"',
    ],
    [
      'a patch without its type',
      (uid) => reviewOf({ uid, allowed: true, patch: Buffer.from('[]').toString('base64') }),
      'Internal error occurred: failed calling webhook "mutate.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'a type without a patch',
      (uid) => reviewOf({ uid, allowed: true, patchType: 'JSONPatch' }),
      'Internal error occurred: failed calling webhook "mutate.example.com": received invalid webhook response: webhook returned response.patchType but not response.patch',
    ],
  ])('is refused with %s', async (_, response, message) => {
    const { refused, object } = await outcomeOf((_path, { request: { uid } }) => response(uid));
    expect([refused?.message, object]).toEqual([message, configMap({ k: '1' })]);
  });

  it('cannot change a deleted object', async () => {
    respond = (_path, { request: { uid } }) => patched(uid, add('/data/x', '1'));
    const made = fixture();
    made.mutating.put(configuration('m', hook('m.example.com')));
    const oldObject = configMap();
    const { refused } = await made.run({ operation: 'DELETE', object: undefined, oldObject });
    expect([refused?.message, oldObject]).toEqual([
      'Internal error occurred: admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation',
      configMap(),
    ]);
  });

  it('is called again if it wants to be and a later webhook changed the object', async () => {
    const calls = async (policies: readonly string[], isChanging = true) => {
      seen = [];
      respond = (path, { request: { uid } }) =>
        path.startsWith('b') && isChanging ? patched(uid, add('/data/b', 'x')) : reviewOf({ uid, allowed: true });
      const made = fixture();
      const [a, b] = policies.map((reinvocationPolicy, i) => hook(`${'ab'[i]}.example.com`, { reinvocationPolicy }));
      made.mutating.put(configuration('m', ...[a, b].filter((one) => one !== undefined)));
      await made.run();
      return seen.map(({ path }) => path[0]).join('');
    };
    expect([
      await calls(['IfNeeded', 'Never']),
      await calls(['Never', 'Never']),
      await calls(['Never', 'IfNeeded']),
      await calls(['IfNeeded', 'IfNeeded']),
      await calls(['IfNeeded', 'IfNeeded'], false),
    ]).toEqual(['aba', 'ab', 'ab', 'aba', 'ab']);
  });

  it('is called again if a plugin of the server changed the object in the second round', async () => {
    respond = (path, { request: { uid } }) =>
      path.startsWith('a') ? patched(uid, add('/data/a', 'x')) : reviewOf({ uid, allowed: true });
    const made = fixture();
    const reinvocationPolicy = 'IfNeeded';
    made.mutating.put(
      configuration('m', hook('a.example.com', { reinvocationPolicy }), hook('b.example.com', { reinvocationPolicy })),
    );
    const { object } = await made.run(
      {},
      {
        name: 'InTree',
        handles: () => true,
        admit: ({ object: changed, reinvocation }) => {
          if (changed && reinvocation?.isReinvoke) changed['data'] = { ...(changed['data'] as object), late: 'y' };
        },
      },
    );
    expect([seen.map(({ path }) => path[0]).join(''), object?.['data']]).toEqual([
      'abab',
      { k: '1', a: 'x', late: 'y' },
    ]);
  });

  it('is not called for a request that its conditions exclude', async () => {
    const run = async (expression: string, more: Partial<WebhookFields> = {}) => {
      seen = [];
      const { refused } = await outcomeOf(allow, { matchConditions: [{ name: 'c', expression }], ...more });
      return refused?.message ?? seen.length;
    };
    const broken = 'object.nothing == 1';
    expect([
      await run('request.userInfo.username == "alice"'),
      await run('object.data.k != "1"'),
      await run(broken, { failurePolicy: 'Ignore' }),
      await run(broken),
    ]).toEqual([
      1,
      0,
      0,
      'configmaps "a" is forbidden: expression \'object.nothing == 1\' resulted in error: no such key: nothing',
    ]);
  });
});

describe('the plugins of webhooks', () => {
  it('are idle without webhooks, and take changes at once', async () => {
    const made = fixture();
    const active = () => made.plugins.map((plugin) => plugin.isActive?.());
    expect(active()).toEqual([true, true]);
    await made.run();
    expect(active()).toEqual([false, false]);
    made.validating.put(configuration('v', hook('a.example.com')));
    expect(active()).toEqual([false, true]);
    await made.run();
    made.validating.put(configuration('v', hook('b.example.com')));
    await made.run();
    made.validating.remove('v');
    await made.run();
    expect([seen.map(({ path }) => path), active()]).toEqual([
      ['a.example.com', 'b.example.com'],
      [false, false],
    ]);
  });

  it('spare the kinds that configure admission', async () => {
    const made = fixture();
    made.validating.put(configuration('v', hook('a.example.com')));
    const group = 'admissionregistration.k8s.io';
    await made.run({ kind: { group, version: 'v1', kind: 'ValidatingWebhookConfiguration' } });
    expect(seen).toEqual([]);
  });
});
