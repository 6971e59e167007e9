import { expect, it } from 'vitest';
import type { ControlPlane } from '../control-plane.js';
import { startControlPlane } from '../start/start-control-plane.js';

const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const headers = { 'content-type': 'application/json' };

interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly versions: readonly Version[]; readonly [field: string]: unknown };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

type Version = ReturnType<typeof version>;

function version(name: string, properties: object, storage = true) {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return { name, served: true, storage, schema: { openAPIV3Schema } };
}

const definition: Definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      version('v1', {
        size: { type: 'integer', maximum: 10, 'x-kubernetes-validations': [{ rule: 'self != 7' }] },
        color: { type: 'string', default: 'red' },
      }),
    ],
  },
};

function widget(name: string, size: number): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec: { size } };
}

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

async function created(plane: ControlPlane, name: string, size: number): Promise<number> {
  const request = { method: 'POST', headers, body: JSON.stringify(widget(name, size)) };
  const response = await plane.fetch(WIDGETS, request);
  await response.text();
  return response.status;
}

/** Changes the definition of one plane. */
async function redefine(plane: ControlPlane, spec: object): Promise<void> {
  const before = await json<Definition>(plane.fetch(DEFINITION));
  const body = JSON.stringify({ ...before, spec: { ...before.spec, ...spec } });
  const response = await plane.fetch(DEFINITION, { method: 'PUT', headers, body });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

async function prepared(): Promise<ControlPlane> {
  return await startControlPlane({ crds: [definition], objects: [widget('first', 1)] });
}

const schema = (properties: object) => ({ versions: [version('v1', properties)] });
const SIZES = [1, 7, 11, 99] as const;

/** The sizes that a plane accepts now. */
async function accepted(plane: ControlPlane): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (const size of SIZES) {
    const path = `${WIDGETS}?dryRun=All`;
    const body = JSON.stringify(widget('dry', size));
    const response = await plane.fetch(path, { method: 'POST', headers, body });
    await response.text();
    if (response.status === 201) sizes.push(size);
  }
  return sizes;
}

it('serves the definitions of its origin right away: established, validated, defaulted and watched', async () => {
  await using plane = await prepared();
  await using fork = await plane.fork();
  const watched = await fork.fetch(`${WIDGETS}?watch=true&resourceVersion=0`);
  const reader = (watched.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  const [stored, ...statuses] = await Promise.all([
    json<Definition>(fork.fetch(DEFINITION)),
    created(fork, 'second', 2),
    created(fork, 'third', 7),
    created(plane, 'other', 3),
  ]);
  expect(statuses).toEqual([201, 422, 201]);
  expect(stored.status?.conditions?.find(({ type }) => type === 'Established')?.status).toBe('True');
  let text = '';
  while (text.trim().split('\n').length < 2) text += (await reader.read()).value ?? '';
  await reader.cancel();
  const events = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(events).toEqual([
    { type: 'ADDED', object: expect.objectContaining({ spec: { size: 1, color: 'red' } }) },
    { type: 'ADDED', object: expect.objectContaining({ spec: { size: 2, color: 'red' } }) },
  ]);
  expect(await accepted(plane)).toEqual([1]);
});

it.each([
  ['the fork', async (plane: ControlPlane, fork: ControlPlane) => [fork, plane] as const],
  ['the origin', async (plane: ControlPlane, fork: ControlPlane) => [plane, fork] as const],
])('changes the definition of %s alone', async (_, choose) => {
  await using plane = await prepared();
  await using fork = await plane.fork();
  await using unused = await plane.fork();
  const [changed, other] = await choose(plane, fork);
  expect([await accepted(changed), await accepted(other)]).toEqual([[1], [1]]);
  await redefine(changed, schema({ size: { type: 'integer', maximum: 50 } }));
  await expect.poll(() => accepted(changed), { timeout: 30_000 }).toEqual([1, 7, 11]);
  expect([await accepted(other), await accepted(unused)]).toEqual([[1], [1]]);
  await using later = await changed.fork();
  expect([await accepted(later), await accepted(other)]).toEqual([[1, 7, 11], [1]]);
});

it('deletes a definition of one plane; the other keeps its objects', async () => {
  await using plane = await prepared();
  await using fork = await plane.fork();
  await (await plane.fetch(DEFINITION, { method: 'DELETE' })).text();
  await expect.poll(async () => (await plane.fetch(WIDGETS)).status, { timeout: 30_000 }).toBe(404);
  const { items } = await json<{ items: readonly object[] }>(fork.fetch(WIDGETS));
  expect([items.length, await accepted(fork)]).toEqual([1, [1]]);
});

it('adds a version, and a conversion webhook, to one plane', async () => {
  await using plane = await startControlPlane({
    crds: [definition],
    objects: [widget('first', 1)],
    webhookServer: (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      request.on('end', () => {
        const { apiVersion, kind, request: asked } = JSON.parse(text);
        const convertedObjects = asked.objects.map((object: { spec: object }) => ({
          ...object,
          apiVersion: asked.desiredAPIVersion,
          spec: { ...object.spec, color: 'converted' },
        }));
        response.setHeader('content-type', 'application/json');
        const result = { uid: asked.uid, result: { status: 'Success' }, convertedObjects };
        response.end(JSON.stringify({ apiVersion, kind, response: result }));
      });
    },
  });
  await using fork = await plane.fork();
  const { url, authority } = plane.webhookServer;
  const second = version('v2', { size: { type: 'integer' }, color: { type: 'string' } }, false);
  await redefine(fork, {
    versions: [...definition.spec.versions, second],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { url: `${url}/convert`, caBundle: Buffer.from(authority).toString('base64') },
      },
    },
  });
  const other = WIDGETS.replace('/v1/', '/v2/');
  await expect.poll(async () => (await fork.fetch(other)).status, { timeout: 30_000 }).toBe(200);
  const { items } = await json<{ items: readonly object[] }>(fork.fetch(other));
  expect(items).toEqual([expect.objectContaining({ spec: { size: 1, color: 'converted' } })]);
  expect([(await plane.fetch(other)).status, await accepted(plane)]).toEqual([404, [1]]);
});

const DOCUMENTS = ['/api', '/apis', '/apis/example.com', '/apis/example.com/v1', '/openapi/v3', '/openapi/v2'] as const;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

it('has the documents of its origin, and of a plane that was made in the same way', async () => {
  await using plane = await prepared();
  await using fork = await plane.fork();
  await using second = await fork.fork();
  await using eager = await prepared();
  const read = async ({ fetch }: ControlPlane) => ({
    ...Object.fromEntries(await Promise.all(DOCUMENTS.map(async (path) => [path, await json(fetch(path))] as const))),
    aggregated: await json(fetch('/apis', { headers: { accept: AGGREGATED } })),
    'of the group': await json(fetch('/openapi/v3/apis/example.com/v1')),
  });
  const [expected, ...others] = await Promise.all([eager, plane, fork, second].map(read));
  const own = (documents: typeof expected) => JSON.stringify(documents).replaceAll(/"serverAddress":"[^"]*"/g, '');
  expect(others.map((documents) => own(documents) === own(expected))).toEqual([true, true, true]);
  expect(own(expected)).toContain('"Widget"');
});
