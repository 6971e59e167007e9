import { expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const version = (name: string, subresources: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'boolean' }, status: { type: 'object' } } },
  },
  subresources,
});

it.each<[string, object, object]>([
  ['without a status endpoint, whose manager loses the spec', {}, { 'f:status': {} }],
  ['with a status endpoint', { status: {} }, { 'f:spec': {} }],
])('a status is written through another version than that of a manager, %s', async (_what, subresources, expected) => {
  const server = await startDefined([version('v1', subresources), version('v2', { status: {} })]);
  const made = { apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, spec: false, status: {} };
  await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body: JSON.stringify(made) });
  const change = await server.ask({
    method: 'PATCH',
    path: '/apis/g.io/v2/ts/x/status',
    type: 'application/merge-patch+json',
    body: JSON.stringify({ spec: true }),
  });
  await server.stop();
  const managed: readonly { readonly fieldsV1: object }[] = change.json.metadata.managedFields;
  expect(managed.map(({ fieldsV1 }) => fieldsV1)).toEqual([expected]);
});
