import { expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });
const version = (name: string, own: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: object({ spec: object({ a: text, ...own }), status: object({ s: text }) }) },
  subresources: { status: {} },
});
const versions = [version('v1', {}), version('v2', { b: text })];

it('an apply that empties an object is refused, also beside a manager of another version', async () => {
  const server = await startDefined(versions);
  const patch = async (place: string, type: string, body: object) => {
    const { code, json } = await server.ask({
      method: 'PATCH',
      path: `/apis/g.io/${place}`,
      type: `application/${type}`,
      body: JSON.stringify(body),
    });
    return [code, json.spec ?? json.message];
  };
  const apply = (spec: object) =>
    patch('v1/ts/x?fieldManager=m', 'apply-patch+yaml', {
      apiVersion: 'g.io/v1',
      kind: 'T',
      metadata: { name: 'x' },
      spec,
    });
  const seen = [
    await apply({ a: 'x' }),
    await patch('v2/ts/x/status?fieldManager=n', 'merge-patch+json', { status: { s: 'x' } }),
    await apply({}),
  ];
  await server.stop();
  expect(seen).toEqual([
    [201, { a: 'x' }],
    [200, { a: 'x' }],
    [422, 'T.g.io "x" is invalid: spec: Invalid value: "null": spec in body must be of type object: "null"'],
  ]);
});
