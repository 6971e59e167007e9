import { afterAll, beforeAll, expect, it } from 'vitest';
import type { startInMemory } from '../testing/index.js';
import { startDefined } from '../testing/start-defined.js';

const RESOURCES = '/apis/g.io/v1/ts';
const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } };
const openAPIV3Schema = { type: 'object', properties: { spec: replicas, status: replicas } };
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

let server: ReturnType<typeof startInMemory>;
beforeAll(async () => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { scale } };
  server = await startDefined([version]);
});
afterAll(() => server.stop());

it.each([
  ['a', {}, ['m']],
  ['b', { kind: 'Scale' }, ['m']],
  ['c', { apiVersion: 'autoscaling/v1' }, ['q', 'm']],
  ['d', { apiVersion: 'autoscaling/v1', kind: 'Scale' }, ['q', 'm']],
])('the scale %s with the type %j has the managers %j', async (name, type, expected) => {
  const object = { apiVersion: 'g.io/v1', kind: 'T', metadata: { name }, spec: { replicas: 1 } };
  await server.ask({ method: 'POST', path: `${RESOURCES}?fieldManager=m`, body: JSON.stringify(object) });
  const path = `${RESOURCES}/${name}`;
  const body = JSON.stringify({ ...type, metadata: { name }, spec: { replicas: 2 } });
  const { code } = await server.ask({ method: 'PUT', path: `${path}/scale?fieldManager=q`, body });
  const { json } = await server.ask({ method: 'GET', path });
  const managers = json.metadata.managedFields.map(({ manager }: { readonly manager: string }) => manager);
  expect([code, json.spec.replicas, managers]).toEqual([200, 2, expected]);
});
