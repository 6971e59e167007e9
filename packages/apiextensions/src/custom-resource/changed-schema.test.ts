import { expect, it } from 'vitest';
import { until } from '../testing/memory-server.js';
import { DEFINITIONS, definitionOfT, startDefined } from '../testing/start-defined.js';

const versionOf = (b: object, name = 'v1') => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { b } } } } },
});

const before = [versionOf({ 'x-kubernetes-preserve-unknown-fields': true })];
const text = { type: 'string' };
const after = definitionOfT([versionOf(text), versionOf(text, 'v2')]);

/** A large object is written in turns. */
it.each([0, 200_000])('a stored value that no longer fits leaves no managed fields (padding %i)', async (length) => {
  const server = await startDefined(before);
  const metadata = { name: 'x', annotations: { padding: 'x'.repeat(length) } };
  const object = { apiVersion: 'g.io/v1', kind: 'T', metadata, spec: { b: { u: 1 } } };
  const create = await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body: JSON.stringify(object) });
  const type = 'application/json-patch+json';
  const redefine = [{ op: 'replace', path: '/spec', value: Reflect.get(after, 'spec') }];
  await server.ask({ method: 'PATCH', path: `${DEFINITIONS}/ts.g.io`, type, body: JSON.stringify(redefine) });
  await until(server, '/apis/g.io/v2/ts', () => true);
  const change = [{ op: 'replace', path: '/spec/b', value: 's' }];
  const path = '/apis/g.io/v1/ts/x';
  const update = await server.ask({ method: 'PATCH', path, type, body: JSON.stringify(change) });
  await server.stop();
  expect(create.json.metadata.managedFields).toHaveLength(1);
  expect([update.code, update.json.spec, update.json.metadata.managedFields]).toEqual([200, { b: 's' }, undefined]);
});
