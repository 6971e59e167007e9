import { expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const versions = [
  {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', maxProperties: 1 } } } },
  },
];

it('an applied field that is unknown is validated and counts as a change, but is not kept', async () => {
  const server = await startDefined(versions);
  const apply = async (spec: object) => {
    const { code, json } = await server.ask({
      method: 'PATCH',
      path: '/apis/g.io/v1/ts/x?fieldManager=m',
      type: 'application/apply-patch+yaml',
      body: JSON.stringify({ apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, spec }),
    });
    return [code, json.spec, json.metadata?.generation, json.metadata?.managedFields?.[0].fieldsV1];
  };
  const seen = [await apply({ a: 1 }), await apply({ a: 1 }), await apply({ a: 1, b: 1 })];
  await server.stop();
  const owned = { 'f:spec': { 'f:a': {} } };
  expect(seen).toEqual([
    [201, {}, 1, owned],
    [200, {}, 2, owned],
    [422, undefined, undefined, undefined],
  ]);
});
