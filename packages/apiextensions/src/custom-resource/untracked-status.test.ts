import { expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });
const version = (name: string, status: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: object({ spec: object({ a: text }), status: object(status) }) },
  subresources: { status: {} },
});
const versions = [version('v1', { a: text }), version('v2', { b: text })];

it('a status that cannot be compared in the version of a manager leaves no managed fields', async () => {
  const server = await startDefined(versions);
  const made = { apiVersion: 'g.io/v2', kind: 'T', metadata: { name: 'x' }, spec: { a: 'x' } };
  const create = await server.ask({ method: 'POST', path: '/apis/g.io/v2/ts', body: JSON.stringify(made) });
  const change = await server.ask({
    method: 'PATCH',
    path: '/apis/g.io/v1/ts/x/status',
    type: 'application/merge-patch+json',
    body: JSON.stringify({ status: { a: 'x' } }),
  });
  await server.stop();
  expect(create.json.metadata.managedFields).toHaveLength(1);
  expect([change.json.status, change.json.metadata.managedFields]).toEqual([{ a: 'x' }, undefined]);
});
