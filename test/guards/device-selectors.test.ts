import { expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { object, paths } from './objects.ts';

const GROUP = 'resource.k8s.io';
const server = assembledServer();
const CLASSES = `/apis/${GROUP}/v1/deviceclasses`;

const selecting = (expression: string) => ({ selectors: [{ cel: { expression } }] });
const deviceClass = (name: string, expression: string) =>
  object(`${GROUP}/v1`, 'DeviceClass', name, { spec: selecting(expression) });

const claimSpec = (expression: string) => ({
  devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', ...selecting(expression) } }] },
});

it('a class has selectors that compile', async () => {
  const made = await server.make(CLASSES, deviceClass('gpu', 'device.driver == "gpu.example.com"'));
  const unknown = "compilation failed: ERROR: <input>:1:7: undefined field 'size'\n | device.size == 1\n | ......^";
  const cause = {
    reason: 'FieldValueInvalid',
    field: 'spec.selectors[0].cel.expression',
    message: `Invalid value: "device.size == 1": ${unknown}`,
  };
  const wrong = [
    await server.ask('POST', CLASSES, deviceClass('wrong', 'device.size == 1')),
    await server.ask('PUT', `${CLASSES}/gpu`, { ...made, spec: selecting('device.size == 1') }),
    await server.ask('POST', `${CLASSES}?dryRun=All`, deviceClass('wrong', 'device.size == 1')),
  ];
  expect(wrong.map(({ code, body }) => [code, body.details.causes])).toEqual(Array(3).fill([422, [cause]]));
});

it.each([
  ['resourceclaims', 'ResourceClaim', claimSpec, 'spec'],
  ['resourceclaimtemplates', 'ResourceClaimTemplate', (text: string) => ({ spec: claimSpec(text) }), 'spec.spec'],
])('%s have selectors that compile', async (resource, kind, specOf, path) => {
  const collection = paths.inGroup(GROUP, 'default', resource);
  const post = (expression: string) =>
    server.ask('POST', collection, object(`${GROUP}/v1`, kind, 'made', { spec: specOf(expression) }));
  const wrong = await post('device.driver');
  expect([wrong.code, wrong.body.details.causes[0].field]).toEqual([
    422,
    `${path}.devices.requests[0].exactly.selectors[0].cel.expression`,
  ]);
  expect((await post('cel.bind(d, device.driver, d == "a")')).code).toBe(201);
});
