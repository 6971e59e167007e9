import type { TestWebhookRequest } from '@apiserver/webhook/testing';
import { describe, expect, it } from 'vitest';
import {
  byWebhook,
  type Convert,
  converting,
  define,
  fixture,
  type Json,
  merge,
  pathOf,
  type Respond,
  reviewOf,
  send,
  useConversionServer,
} from '../testing/conversion-server.js';
import { convertMultiVersion, MULTI_VERSION, multiVersionObject } from '../testing/multi-version.js';

useConversionServer();

describe('metadata', () => {
  const mutating: Convert = (object, apiVersion) => {
    const converted = convertMultiVersion(object, apiVersion);
    const { annotations, labels, ...metadata } = object['metadata'] as Record<string, object>;
    return {
      ...converted,
      metadata: {
        ...metadata,
        annotations: { ...annotations, from: object['apiVersion'], to: apiVersion },
        labels: { ...labels, from: String(object['apiVersion']).replace('/', '.') },
        generation: 42,
        resourceVersion: '42',
        finalizers: ['foo'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: '1234' }],
        garbage: 'foo',
      },
    };
  };

  it('may change in labels and annotations alone', async () => {
    await define('v1beta1', byWebhook());
    const plain = await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    fixture.respond = converting(mutating);
    const { json } = await send('GET', pathOf('v1beta2', 'a'));
    const { metadata } = plain.json as { metadata: Json };
    expect(json['metadata']).toEqual({
      ...metadata,
      annotations: { from: 'stable.example.com/v1beta1', to: 'stable.example.com/v1beta2' },
      labels: { from: 'stable.example.com.v1beta1' },
    });
  });

  const withMetadata =
    (more: object): Convert =>
    (object, apiVersion) => ({
      ...convertMultiVersion(object, apiVersion),
      metadata: { ...(object['metadata'] as object), ...more },
    });

  const WEBHOOK = 'conversion webhook for stable.example.com/v1beta1, Kind=MultiVersion';
  it.each<[string, Convert, string]>([
    ['another uid', withMetadata({ uid: '42' }), 'returned invalid object: must have the same UID: UID != 42'],
    ['another name', withMetadata({ name: 'b' }), 'returned invalid object: must have the same name: a != b'],
    [
      'another namespace',
      withMetadata({ namespace: '' }),
      'returned invalid object: must have the same namespace: ns != ',
    ],
    [
      'labels of another type',
      withMetadata({ labels: { a: 1 } }),
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    [
      'labels that are a text',
      withMetadata({ labels: 'a' }),
      'returned invalid metadata: invalid metadata.labels of type string in converted object',
    ],
    [
      'an invalid label',
      withMetadata({ labels: { a: '-' } }),
      'returned invalid metadata: metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of ' +
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  " +
        "or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
    [
      'another version',
      (object) => object,
      'returned invalid object at index 0: invalid groupVersion (expected stable.example.com/v1beta2, received stable.example.com/v1beta1)',
    ],
    [
      'another kind',
      (object, apiVersion) => ({ ...object, apiVersion, kind: 'Other' }),
      'returned invalid object at index 0: invalid kind (expected MultiVersion, received Other)',
    ],
  ])('is refused with %s', async (_, convert, message) => {
    await define('v1beta1', byWebhook());
    const created = await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    const { uid } = (created.json as { metadata: { uid: string } }).metadata;
    fixture.respond = converting(convert);
    const { code, json } = await send('GET', pathOf('v1beta2', 'a'));
    expect([code, json['message']]).toEqual([500, `${WEBHOOK} ${message.replace('UID: UID', `UID: ${uid}`)}`]);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'unexpected end of JSON input'],
    ['a text', 'a', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['a list', [], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['an object without a kind', { metadata: {} }, `Object 'Kind' is missing in '{"metadata":{}}'`],
    [
      'an object of an unparsable version',
      { apiVersion: 'x/y/z', kind: 'A' },
      `Object 'Kind' is missing in '{"apiVersion":"x/y/z","kind":"A"}'`,
    ],
  ])('that is %s is refused in the words of its decoder', async (_, converted, message) => {
    await define('v1beta1', byWebhook());
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    fixture.respond = converting(() => converted as Json);
    const { code, json } = await send('GET', pathOf('v1beta2', 'a'));
    expect([code, json['message']]).toEqual([500, message]);
  });
});

it('bounds the values of a response, and its messages', async () => {
  await define('v1beta1', byWebhook());
  await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
  const messageWith = async (change: object) => {
    fixture.respond = converting((object, apiVersion) => ({ ...convertMultiVersion(object, apiVersion), ...change }));
    return String((await send('GET', pathOf('v1beta2', 'a'))).json['message']);
  };
  expect(await messageWith({ x: Array(300_001).fill(0) })).toContain('the response has more than 300000 values');
  const labels = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, `wrong ${i}`]));
  const wrong = await messageWith({ metadata: { name: 'a', namespace: 'ns', labels } });
  expect(wrong).toMatch(/must have the same UID/);
  expect(await messageWith({ kind: '', x: 'x'.repeat(2 ** 20) })).toHaveLength(256 * 1024 + 1);
});

describe('a failing webhook', () => {
  const response =
    (more: object) =>
    (request: TestWebhookRequest): object => ({
      apiVersion: reviewOf(request).apiVersion,
      kind: 'ConversionReview',
      response: { uid: reviewOf(request).request.uid, result: { status: 'Success' }, convertedObjects: [], ...more },
    });

  const failures: readonly [string, Respond, string][] = [
    ['no objects', response({}), 'returned 0 objects, expected 1'],
    ['a message', response({ result: { status: 'Failure', message: 'no way' } }), 'failed: no way'],
    ['no status', response({ result: {} }), "failed: response.result.status was '', not 'Success'"],
    ['another uid', response({ uid: 'x' }), 'failed: expected response.uid="'],
    [
      'no response',
      () => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }),
      'failed: no response provided',
    ],
    [
      'no kind',
      () => ({}),
      'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
    ],
    [
      'a uid of another type',
      response({ uid: 5 }),
      'failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID',
    ],
    [
      'another kind',
      () => ({ apiVersion: 'v1', kind: 'Status', status: 'Success' }),
      'failed: converting (v1.Status) to (v1.ConversionReview): unknown conversion',
    ],
    [
      'an error',
      (_, reply) => {
        reply.statusCode = 500;
        reply.end('boom');
        return undefined;
      },
      'failed: an error on the server ("boom") has prevented the request from succeeding',
    ],
  ];

  it.each(failures)('with %s fails every verb in other versions than the stored one', async (_, failing, message) => {
    await define('v1beta1', byWebhook());
    const { json: original } = await send(
      'POST',
      pathOf('v1beta1'),
      multiVersionObject('v1beta1', 'a', { spec: { replicas: 1 } }),
    );
    fixture.respond = failing;
    const own = multiVersionObject('v1beta2', 'a', { metadata: original['metadata'] });
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: 'ns' },
      spec: { replicas: 2 },
    };
    const annotations = { metadata: { annotations: { patch: 'true' } } };
    const attempts: readonly [string, string, object?, string?][] = [
      ['GET', pathOf('v1beta2', 'a')],
      ['GET', pathOf('v1beta2')],
      ['POST', pathOf('v1beta2'), multiVersionObject('v1beta2', 'b')],
      ['PUT', pathOf('v1beta2', 'a'), own],
      ['PATCH', pathOf('v1beta2', 'a'), annotations, merge],
      ['DELETE', pathOf('v1beta2', 'a')],
      ['DELETE', pathOf('v1beta2')],
      ['GET', pathOf('v1beta2', 'a', 'status')],
      ['PUT', pathOf('v1beta2', 'a', 'status'), own],
      ['PATCH', pathOf('v1beta2', 'a', 'status'), annotations, merge],
      ['GET', pathOf('v1beta2', 'a', 'scale')],
      ['PUT', pathOf('v1beta2', 'a', 'scale'), scale],
      ['PATCH', pathOf('v1beta2', 'a', 'scale'), annotations, merge],
    ];
    for (const attempt of attempts) {
      const { code, json } = await send(...attempt);
      expect([attempt.slice(0, 2), code, json['message']]).toEqual([
        attempt.slice(0, 2),
        500,
        expect.stringContaining(message),
      ]);
    }
    expect((await send('GET', pathOf('v1beta1', 'a'))).code).toBe(200);
    fixture.respond = converting(convertMultiVersion);
    await expect.poll(async () => (await send('GET', pathOf('v1beta2'))).code).toBe(200);
  });

  it('does not hold requests for the stored version', async () => {
    await define('v1beta1', byWebhook());
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    const called = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    fixture.respond = async (request) => {
      called.resolve();
      await released.promise;
      return converting(convertMultiVersion)(request);
    };
    const waiting = send('GET', pathOf('v1beta2', 'a'));
    await called.promise;
    expect((await send('PATCH', pathOf('v1beta1', 'a'), { num: { num1: 7 } }, merge)).code).toBe(200);
    released.resolve();
    expect((await waiting).code).toBe(200);
  });

  it('for one object does not affect another', async () => {
    await define('v1beta1', byWebhook());
    for (const name of ['a', 'bad', 'c']) await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', name));
    fixture.respond = (request) => {
      const { objects } = reviewOf(request).request;
      const isBad = objects.some((object) => (object['metadata'] as { name: string }).name === 'bad');
      return isBad
        ? response({ result: { status: 'Failure', message: 'bad' } })(request)
        : converting(convertMultiVersion)(request);
    };
    const reads = await Promise.all(['a', 'bad', 'c'].map((name) => send('GET', pathOf('v1beta2', name))));
    expect(reads.map(({ code }) => code)).toEqual([200, 500, 200]);
  });

  it('is counted', async () => {
    await define('v1beta1', byWebhook());
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    await send('GET', pathOf('v1beta2', 'a'));
    fixture.respond = response({});
    await send('POST', pathOf('v1beta2'), multiVersionObject('v1beta2', 'b'));
    const text = (await fixture.server.metrics.expose()).text;
    const lines = text
      .split('\n')
      .filter((line) => /^apiserver_(conversion|crd_conversion).*(_total|_count)/.test(line));
    const failure = 'conversion_webhook_partial_response_failure';
    expect(lines.map((line) => line.replace(/ \d+$/, ''))).toEqual(
      expect.arrayContaining([
        `apiserver_conversion_webhook_request_total{failure_type="${failure}",result="failure"}`,
        'apiserver_conversion_webhook_request_total{failure_type="",result="success"}',
        `apiserver_conversion_webhook_duration_seconds_count{failure_type="${failure}",result="failure"}`,
        `apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="${MULTI_VERSION}",from_version="v1beta1",succeeded="true",to_version="v1beta2"}`,
        `apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="${MULTI_VERSION}",from_version="v1beta2",succeeded="false",to_version="v1beta1"}`,
      ]),
    );
  });
});
