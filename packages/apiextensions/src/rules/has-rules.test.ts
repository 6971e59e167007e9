import { expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const ruled = { type: 'string', 'x-kubernetes-validations': [{ rule: 'true' }] };

// The outcomes are those of upstream's modules.
it.each([
  ['a', false],
  ['a-b/c.d', false],
  ['é', true],
])('an object of an int-or-string with rules of %s is told that rules were not checked: %s', async (name, told) => {
  const properties = { spec: { type: 'object', 'x-kubernetes-int-or-string': true, properties: { [name]: ruled } } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const server = await startDefined([{ name: 'v1', served: true, storage: true, schema }]);
  const body = JSON.stringify({ apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, spec: {} });
  const { code, json } = await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body });
  await server.stop();
  expect([code, json.message.includes('some validation rules were not checked')]).toEqual([422, told]);
});
