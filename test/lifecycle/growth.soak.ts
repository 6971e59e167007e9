import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ControlPlane, startControlPlane } from '@apiserver/envtest';
import { afterAll, beforeAll, expect, it } from 'vitest';

// Each operation has names of its own, and removes what it makes. A server that runs for months does nothing else. Events stay
// in the windows of watch caches for a minute, and metrics for ever.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const COMPACTION_SECONDS = 10;
const DEFAULT = '/api/v1/namespaces/default';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1';
const CREATION_OF_MAPS = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({
    flags: [`--etcd-compaction-interval=${COMPACTION_SECONDS}s`, '--controllers=*'],
  });
});
afterAll(() => plane.stop());

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await plane.fetch(path, {
    method,
    headers: { 'content-type': type, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { code: response.status, text };
}

/** Makes an object, works with it, and deletes it. */
async function passing(collection: string, name: string, body: object, work = async () => {}): Promise<void> {
  const made = await send('POST', collection, { metadata: { name }, ...body });
  if (made.code !== 201) throw new Error(`${collection}: ${made.text}`);
  await work();
  await send('DELETE', `${collection}/${name}`);
}

async function until(code: number, method: string, path: string, body?: object): Promise<void> {
  await expect.poll(async () => (await send(method, path, body)).code).toBe(code);
}

async function definition(name: string): Promise<void> {
  const group = `${name}.example.com`;
  const spec = { type: 'object', 'x-kubernetes-validations': [{ rule: `!has(self.a) || self.a != "${name}"` }] };
  const properties = { spec: { ...spec, properties: { a: { type: 'string' } } } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const names = { plural: 'widgets', kind: 'Widget' };
  const api = `/apis/${group}/v1`;
  await passing(DEFINITIONS, `widgets.${group}`, { spec: { group, scope: 'Cluster', names, versions } }, async () => {
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec: {} };
    await until(201, 'POST', `${api}/widgets`, widget);
    await until(200, 'GET', `/openapi/v3${api}`);
  });
  await until(404, 'GET', `${api}/widgets`);
  await send('GET', '/openapi/v3');
}

const dryRun = (name: string) => send('POST', `${DEFAULT}/configmaps?dryRun=All`, { metadata: { name } });

/** By name: operations of a round, the bytes that one may leave on the heap, and an operation. */
const WORK: Readonly<
  Record<string, readonly [count: number, leaves: number, work: (name: string) => Promise<unknown>]>
> = {
  objects: [300, 6000, (name) => passing(`${DEFAULT}/configmaps`, name, { data: { [name]: name } })],
  users: [300, 1500, (name) => send('GET', `${DEFAULT}/configmaps`, undefined, { 'impersonate-user': name })],
  paths: [300, 500, (name) => send('GET', `/apis/${name}.example.com/v1/${name}`)],
  selectors: [300, 500, (name) => send('GET', `${DEFAULT}/configmaps?labelSelector=${name}%3Da`)],
  reviews: [
    ...([300, 500] as const),
    (name) =>
      send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: name, resourceAttributes: { verb: 'get', resource: name } },
      }),
  ],
  namespaces: [
    ...([20, 20_000] as const),
    async (name) => {
      await passing('/api/v1/namespaces', name, {});
      await until(404, 'GET', `/api/v1/namespaces/${name}`);
    },
  ],
  definitions: [10, 60_000, definition],
  policies: [
    ...([20, 10_000] as const),
    async (name) => {
      const validations = [{ expression: `object.metadata.name != '${name}x'` }];
      const policy = { spec: { failurePolicy: 'Ignore', matchConstraints: CREATION_OF_MAPS, validations } };
      await passing(`${ADMISSION}/validatingadmissionpolicies`, name, policy, async () => {
        const binding = { spec: { policyName: name, validationActions: ['Deny'] } };
        await passing(`${ADMISSION}/validatingadmissionpolicybindings`, name, binding, async () => {
          await sleep(20);
          await dryRun(name);
        });
      });
    },
  ],
  flows: [
    ...([20, 15_000] as const),
    async (name) => {
      const level = { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } };
      await passing(`${FLOWS}/prioritylevelconfigurations`, name, level, async () => {
        const schema = { spec: { priorityLevelConfiguration: { name } } };
        await passing(`${FLOWS}/flowschemas`, name, schema, () => sleep(20));
      });
    },
  ],
};

async function heapBytes(): Promise<number> {
  await sleep((COMPACTION_SECONDS + 5) * 1000);
  collectGarbage();
  await sleep(100);
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

let operations = 0;
async function round(count: number, work: (name: string) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await work(`grow${++operations}`);
}

const shareMilliseconds = (Number(process.env['SOAK_SECONDS'] ?? 60) * 1000) / Object.keys(WORK).length;
const LEAST_ROUNDS = 3;

it.each(Object.entries(WORK))('%s that come and go leave little', async (_, [count, leaves, work]) => {
  for (let warmUp = 0; warmUp < 3; warmUp++) await round(count, work);
  const before = await heapBytes();
  const started = Date.now();
  let rounds = 0;
  for (; rounds < LEAST_ROUNDS || Date.now() - started < shareMilliseconds; rounds++) await round(count, work);
  const grown = (await heapBytes()) - before;
  expect(grown / (rounds * count)).toBeLessThan(leaves);
});
