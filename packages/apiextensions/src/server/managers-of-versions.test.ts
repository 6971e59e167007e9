import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { startInMemory } from '../testing/memory-server.js';
import { startDefined } from '../testing/start-defined.js';

const texts = { type: 'object', additionalProperties: { type: 'string' } };
/** A list of the first version is a set. */
const listIn = (name: string) => ({
  type: 'array',
  items: { type: 'string' },
  ...(name === 'v1' && { 'x-kubernetes-list-type': 'set' }),
});
const schemaIn = (name: string) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { texts, list: listIn(name) } }, status: texts },
});
const version = (name: string) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schemaIn(name) },
  subresources: { status: {} },
});

let server: ReturnType<typeof startInMemory>;
beforeAll(async () => {
  server = await startDefined(['v1', 'v2'].map(version));
});
afterAll(() => server.stop());

interface Writer {
  readonly endpoint: string;
  readonly manager: string;
  readonly type?: string;
}

function write({ endpoint, manager, type = 'application/apply-patch+yaml' }: Writer, content: object) {
  const [name = ''] = endpoint.split('/');
  const object = { apiVersion: `g.io/${name}`, kind: 'T', metadata: { name: 'x' }, ...content };
  const part = endpoint.slice(name.length);
  const query = `fieldManager=${manager}${type.includes('apply') ? '&force=true' : ''}`;
  return server.ask({
    method: 'PATCH',
    path: `/apis/g.io/${name}/ts/x${part}?${query}`,
    type,
    body: JSON.stringify(type.includes('apply') ? object : content),
  });
}

const merge = 'application/merge-patch+json';

async function managersAfter(writer: Writer, content: object): Promise<readonly string[]> {
  const { json } = await write(writer, content);
  return json.metadata.managedFields.map(({ manager }: { readonly manager: string }) => manager);
}

beforeEach(async () => {
  await server.ask({ method: 'DELETE', path: '/apis/g.io/v1/ts/x' });
  await write({ endpoint: 'v2', manager: 'spec' }, { spec: { texts: { a: '1' } } });
  await write({ endpoint: 'v2/status', manager: 'status' }, { status: { a: '1' } });
});

// Upstream resets the status for managers of the endpoint's own version alone.
it('a refused change of the status takes it from managers of other versions', async () => {
  const change = { status: { a: '2' } };
  expect(await managersAfter({ endpoint: 'v2', manager: 'm', type: merge }, change)).toEqual(['spec', 'status']);
  expect(await managersAfter({ endpoint: 'v1', manager: 'm', type: merge }, change)).toEqual(['spec']);
});

it('a refused change by the status endpoint takes nothing from managers of any version', async () => {
  const change = { spec: { texts: { a: '2' } } };
  expect(await managersAfter({ endpoint: 'v1/status', manager: 'm', type: merge }, change)).toEqual(['spec', 'status']);
});

it('a refused change that has no form in the version of a manager drops all managed fields', async () => {
  await write({ endpoint: 'v1', manager: 'first' }, { spec: {} });
  const change = { spec: { list: ['a', 'a'] }, status: { a: '2' } };
  const { code, json } = await write({ endpoint: 'v2/status', manager: 'm', type: merge }, change);
  expect([code, json.status, json.metadata.managedFields]).toEqual([200, { a: '2' }, undefined]);
});

it('an apply that empties a map of another version leaves null, which is refused', async () => {
  const { code, json } = await write({ endpoint: 'v1', manager: 'spec' }, { spec: { texts: {} } });
  const message = 'spec.texts: Invalid value: "null": spec.texts in body must be of type object: "null"';
  expect([code, json.message]).toEqual([422, `T.g.io "x" is invalid: ${message}`]);
});
