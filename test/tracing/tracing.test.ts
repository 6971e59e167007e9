import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { type ControlPlane, startControlPlane } from '@apiserver/envtest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const sampled = `00-${TRACE}-${PARENT}-01`;
const maps = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };

let folder: string;
let receiver: OtlpReceiver;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tracing-'));
  receiver = await OtlpReceiver.start();
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const webhook = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'maps' },
  webhooks: [
    {
      name: 'maps.example.com',
      clientConfig: { service: { namespace: 'system', name: 'webhook', path: '/validate' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

/** Starts a plane that traces, and stops it after the work, which sends all spans. */
async function tracedBy(rate: string, work: (plane: ControlPlane) => Promise<void>, options = {}): Promise<void> {
  const file = join(folder, 'tracing.yaml');
  const fields = `endpoint: 127.0.0.1:${receiver.port}\n${rate}`;
  writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n${fields}\n`);
  const flags = [`--tracing-config-file=${file}`];
  await using plane = await startControlPlane({ controllers: [], flags, ...options });
  await work(plane);
}

const create = (name: string) => ({
  method: 'POST',
  body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
});

const named = (name: string): ReceivedSpan | undefined => receiver.spans.find((span) => span.name === name);

/** Allows everything, and keeps the headers of traces. */
function tracedWebhook() {
  const received: unknown[] = [];
  const webhookServer = (request: IncomingMessage, response: ServerResponse) => {
    received.push(request.headers['traceparent'], request.headers['baggage']);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { uid } = JSON.parse(Buffer.concat(chunks).toString()).request;
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
      response.writeHead(200, json).end(JSON.stringify(review));
    });
  };
  return { received, options: { webhooks: webhook, webhookServer } };
}

it('continues the trace of an administrator, down to a webhook', async () => {
  const { received, options } = tracedWebhook();
  await tracedBy(
    '',
    async (plane) => {
      const headers = { ...json, traceparent: sampled, baggage: 'team=a', 'audit-id': 'audit', 'user-agent': 'test' };
      expect((await plane.fetch(maps, { ...create('traced'), headers })).status).toBe(201);
    },
    options,
  );
  const server = named('POST /api/v1/namespaces/{:namespace}/configmaps');
  expect(server).toMatchObject({
    scope: 'go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp',
    traceId: TRACE,
    parent: PARENT,
    attributes: {
      'audit-id': 'audit',
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'http.target': maps,
      'server.address': 'localhost',
      'url.path': maps,
      'url.scheme': 'https',
      'user_agent.original': 'test',
    },
    resource: { 'service.name': 'apiserver', 'service.instance.id': expect.stringMatching(/^apiserver-/) },
    status: 0,
  });
  const handler = named('Create');
  expect(handler).toMatchObject({
    scope: 'k8s.io/component-base/tracing',
    parent: named('authorization')?.spanId,
    attributes: { resource: 'configmaps', scope: 'resource', namespace: 'default', verb: 'create', url: maps },
    events: [
      'limitedReadBody succeeded',
      'About to convert to expected version',
      'Conversion done',
      'About to store object in database',
      'Write to database call succeeded',
      'About to write a response',
      'Writing http response done',
    ],
  });
  expect(named('Create etcd3')).toMatchObject({
    parent: handler?.spanId,
    attributes: { 'audit-id': 'audit', group: '', resource: 'configmaps', key: expect.stringContaining('traced') },
  });
  const called = named('Call validating webhook');
  expect(called).toMatchObject({
    parent: handler?.spanId,
    attributes: {
      configuration: 'maps',
      webhook: 'maps.example.com',
      resource: '/v1, Resource=configmaps',
      operation: 'CREATE',
    },
  });
  const call = named('HTTP POST');
  expect(call?.parent).toBe(called?.spanId);
  expect(received).toEqual([`00-${TRACE}-${call?.spanId}-01`, 'team=a']);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
});

/** Names of spans below one, in the order of their ends, with their events. */
type Tree = Readonly<Record<string, unknown>>;

function treeBelow(parent: string): Tree {
  const children = receiver.spans.filter((span) => span.parent === parent);
  const entries = children.map(({ spanId, name, events }) => {
    const below = treeBelow(spanId);
    return [name, events.length > 0 ? { events, ...below } : below] as const;
  });
  return Object.fromEntries(entries);
}

/** The spans of upstream's filters: each is within the one before. */
const filtered = (name: string, handler: Tree) => ({
  [name]: { audit: { constrainedimpersonation: { priorityandfairness: { authorization: handler } } } },
});

const SERIALIZED = { SerializeObject: { events: ['About to start writing response', 'Write call succeeded'] } };
const BODY = ['limitedReadBody succeeded'];
const RESPONSE = ['About to write a response', 'Writing http response done'];
const [ONE, ALL] = ['/api/v1/namespaces/{:namespace}/configmaps/{:name}', '/api/v1/namespaces/{:namespace}/configmaps'];

it.each([
  [
    'GET',
    `${maps}/a`,
    undefined,
    {
      Get: {
        events: ['About to Get from storage', ...RESPONSE],
        'cacher.Get': { events: ['watchCache fresh enough'] },
        ...SERIALIZED,
      },
    },
  ],
  [
    'GET',
    maps,
    undefined,
    {
      List: {
        'cacher.GetList': {
          events: ['Ready', 'watchCache fresh enough', 'Listed items from cache', 'Filtered items'],
        },
        ...SERIALIZED,
      },
    },
  ],
  [
    'GET',
    `${maps}?limit=1&resourceVersion=1&resourceVersionMatch=Exact`,
    undefined,
    {
      List: { 'cacher.GetList': expect.anything(), ...SERIALIZED },
    },
  ],
  [
    'PATCH',
    `${maps}/a`,
    '{"data":{"b":"c"}}',
    {
      Patch: {
        events: [
          ...BODY,
          'Recorded the audit event',
          'About to apply patch',
          'About to check admission control',
          'Object stored in database',
          ...RESPONSE,
        ],
        'GuaranteedUpdate etcd3': {
          events: [
            'initial value restored',
            'About to Encode',
            'Encode succeeded',
            'TransformToStorage succeeded',
            'Transaction prepared',
            'Txn call completed',
            'Transaction committed',
            'decode succeeded',
          ],
        },
        ...SERIALIZED,
      },
    },
  ],
  [
    'DELETE',
    `${maps}/a`,
    '{"kind":"DeleteOptions","apiVersion":"v1"}',
    {
      Delete: {
        events: [
          ...BODY,
          'Decoded delete options',
          'Recorded the audit event',
          'About to delete object from database',
          'Object deleted from database',
          ...RESPONSE,
        ],
        'cacher.Get': { events: ['watchCache fresh enough'] },
        ...SERIALIZED,
      },
    },
  ],
  [
    'GET',
    `${maps}/absent`,
    undefined,
    {
      Get: {
        events: ['About to Get from storage'],
        'cacher.Get': { events: ['watchCache fresh enough'] },
        ...SERIALIZED,
      },
    },
  ],
])('has the spans and events of %s %s', async (method, path, body, handler) => {
  await tracedBy('', async (plane) => {
    await plane.fetch(maps, { ...create('a'), headers: json });
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': type, traceparent: sampled };
    await plane
      .fetch(path, { method, headers, ...(body !== undefined && { body }) })
      .then((response) => response.text());
  });
  expect(treeBelow(PARENT)).toEqual(filtered(`${method} ${path.startsWith(`${maps}/`) ? ONE : ALL}`, handler));
});

it('has spans of a watch with initial events only', async () => {
  await tracedBy('', async (plane) => {
    for (const query of ['', '&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan']) {
      const response = await plane.fetch(`${maps}?watch=true&timeoutSeconds=1${query}`, {
        headers: { traceparent: sampled },
      });
      await response.text();
    }
  });
  const watched = { 'cacher.Watch': { events: ['watchCache fresh enough'] } };
  const trees = receiver.spans.filter((span) => span.name === 'authorization').map(({ spanId }) => treeBelow(spanId));
  expect(trees).toEqual([
    watched,
    {
      WatchList: {
        'WatchServer.HandleHTTP': { events: ['About to start writing response', 'Writing initial events done'] },
        ...watched,
      },
    },
  ]);
});

it('begins the trace of a trusted client without one with authentication', async () => {
  await tracedBy('samplingRatePerMillion: 1000000', async (plane) => {
    await plane.fetch(`${maps}/absent`);
  });
  const served = named(`GET ${ONE}`);
  const outer = receiver.spans.find(({ spanId }) => spanId === served?.parent);
  const scope = 'k8s.op/apiserver/pkg/endpoints/filterlatency';
  expect(outer).toMatchObject({ name: 'authentication', scope, parent: '', traceId: served?.traceId });
});

it('passes the trace of a client on without tracing', async () => {
  const { received, options } = tracedWebhook();
  await using plane = await startControlPlane({ controllers: [], ...options });
  await plane.fetch(maps, { ...create('passed'), headers: { ...json, traceparent: sampled, baggage: 'team=a' } });
  expect(received).toEqual([sampled, 'team=a']);
});

it('samples nothing of its own without a rate, and respects that a parent is not sampled', async () => {
  await tracedBy('', async (plane) => {
    await plane.fetch(maps);
    await plane.fetch(maps, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
    await plane.user('alice', { groups: ['dev'] }).fetch(maps, { headers: { traceparent: sampled } });
  });
  expect(receiver.spans).toEqual([]);
});

it('begins a trace for a stranger, and links the one of the stranger', async () => {
  await tracedBy('samplingRatePerMillion: 1000000', async (plane) => {
    await plane.user('alice').fetch(`${maps}/absent`, { headers: { traceparent: sampled } });
    await plane.fetch('/healthz');
  });
  const stranger = receiver.spans.filter(({ links }) => links.length > 0);
  expect(stranger.map(({ name, parent, links }) => [name, parent, links])).toEqual([
    ['GET /api/v1/namespaces/{:namespace}/configmaps/{:name}', '', [TRACE]],
  ]);
  expect(stranger[0]?.traceId).not.toBe(TRACE);
  // A path without a resource has its method as the name.
  expect(receiver.spans.find(({ attributes }) => attributes['url.path'] === '/healthz')?.name).toBe('GET');
});

it('refuses a file that is not there', async () => {
  const flags = [`--tracing-config-file=${folder}/absent.yaml`];
  await expect(startControlPlane({ flags })).rejects.toThrow(
    `tracing-config-file ${folder}/absent.yaml does not exist`,
  );
});

it('goes on without a collector, and logs that', async () => {
  const { port } = receiver;
  const { logger, lines } = createTestLogger();
  await receiver[Symbol.asyncDispose]();
  const file = join(folder, 'tracing.yaml');
  const fields = `endpoint: 127.0.0.1:${port}\nsamplingRatePerMillion: 1000000`;
  writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n${fields}\n`);
  const plane = await startControlPlane({ controllers: [], flags: [`--tracing-config-file=${file}`], logger });
  expect((await plane.fetch(maps)).status).toBe(200);
  await plane.stop();
  expect(lines.map(({ message }) => message)).toContain('Spans could not be sent');
}, 60_000);
