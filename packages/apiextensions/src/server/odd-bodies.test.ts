import * as cbor from '@apiserver/apimachinery/codec/cbor';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const resource = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const declared = { ...resource, properties: { kind: { type: 'string' } } };
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { resource, declared },
    'x-kubernetes-preserve-unknown-fields': true,
  },
};

let server: Awaited<ReturnType<typeof startDefined>>;
beforeAll(async () => {
  server = await startDefined([{ name: 'v1', served: true, storage: true, schema }], { cbor });
});
afterAll(() => server.stop());

/** Creates an object from a body, and returns the status and the message. */
async function created(type: string, body: string | Uint8Array): Promise<readonly [number, string]> {
  const path = '/apis/g.io/v1/ts?fieldValidation=Strict';
  const { code, json } = await server.ask({ method: 'POST', path, type, body });
  return [code, json.message];
}

const unrecognized = (why: string) => `the object provided is unrecognized (must be of type T): ${why}`;

// All messages are those of apiextensions-apiserver 0.36.6 for the same bytes.
it.each([
  [
    'a2646b696e6461546a61706956657273696f6e80',
    `T in version "" cannot be handled as a T: Object 'apiVersion' is missing`,
  ],
  ['a2646b696e64016a61706956657273696f6e6476312f78', unrecognized("Object 'Kind' is missing in")],
  ['a10102', 'T in version "v1" cannot be handled as a T: cbor: cannot unmarshal positive integer into Go value of'],
  ['a1646b696e64a10102', unrecognized('unable to determine group/version/kind: cbor: cannot unmarshal map into Go')],
  ['a2646b696e646154646b696e646154', unrecognized('unable to determine group/version/kind: cbor: found duplicate')],
])('decodes CBOR before it looks for a kind: %s', async (hex, message) => {
  const [code, text] = await created('application/cbor', Buffer.from(hex, 'hex'));
  expect([code, text.slice(0, message.length)]).toEqual([400, message]);
});

it.each(['Strict', 'Ignore'])('reads numbers before it looks for a kind: %s', async (directive) => {
  const path = `/apis/g.io/v1/ts?fieldValidation=${directive}`;
  const body = '{"apiVersion":"g.io/v1","kindx":"T","metadata":{"name":"x"},"a":[-1e400,1e401]}';
  const { code, json } = await server.ask({ method: 'POST', path, type: 'application/json', body });
  const fault = 'json: cannot unmarshal number -1e400 into Go value of type float64';
  expect([code, json.message]).toEqual([400, `T in version "v1" cannot be handled as a T: ${fault}`]);
});

it('takes a tagged time for the kind', async () => {
  const body = Buffer.from(
    'a3646b696e64c11a514b67b06a61706956657273696f6e67672e696f2f7631686d65746164617461a1646e616d656178',
    'hex',
  );
  expect(await created('application/cbor', body)).toEqual([
    422,
    '2013-03-21T20:04:00Z.g.io "x" is invalid: kind: Invalid value: "2013-03-21T20:04:00Z": must be T',
  ]);
});

it('shows halves of surrogate pairs as U+FFFD', async () => {
  const body = String.raw`{"apiVersion":"g.io/v1","kind":"\ud800A","metadata":{"name":"x"}}`;
  expect(await created('application/json', body)).toEqual([
    422,
    '\ufffdA.g.io "x" is invalid: kind: Invalid value: "\ufffdA": must be T',
  ]);
});

it('refuses null for the kind of a resource inside, unless its schema drops it', async () => {
  const body = (members: object) =>
    JSON.stringify({ apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, ...members });
  expect([
    await created('application/json', body({ resource: { apiVersion: 'v1', kind: null } })),
    await created('application/json', body({ declared: { apiVersion: 'v1', kind: null } })),
  ]).toEqual([
    [400, 'T in version "v1" cannot be handled as a T: resource.kind: Invalid value: null: must be a string'],
    [422, 'T.g.io "x" is invalid: declared.kind: Required value'],
  ]);
});

it('shows large numbers in metadata inside as they are', async () => {
  const body =
    '{"apiVersion":"g.io/v1","kind":"T","metadata":{"name":"x"},"resource":{"metadata":{"name":9223372036854775807}}}';
  const problem = 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string';
  expect(await created('application/json', body)).toEqual([
    400,
    `T in version "v1" cannot be handled as a T: resource.metadata: Invalid value: {"name":9223372036854775807}: ${problem}`,
  ]);
});

it('reports a missing apiVersion in the place of repeated fields', async () => {
  const body = '{"ApiVersion":"g.io/v1","kind":"T","metadata":{"name":"x"},"metadata":{"name":"x"}}';
  expect(await created('application/json', body)).toEqual([
    400,
    "Object 'apiVersion' is missing in 'object has no apiVersion field'",
  ]);
});

it('shows a body without a kind as JSON where nothing is checked', async () => {
  const path = '/apis/g.io/v1/ts?fieldValidation=Ignore';
  const message = async (type: string, body: string) =>
    (await server.ask({ method: 'POST', path, type, body })).json.message;
  const missing = `T in version "v1" cannot be handled as a T: Object 'Kind' is missing in`;
  expect([
    await message('application/json', ' {"b": 1}\r\n'),
    await message('application/yaml', '\nb: 1\na: [x]\n'),
  ]).toEqual([`${missing} '{"b": 1}'`, `${missing} '{"a":["x"],"b":1}'`]);
});

it('takes a slash for no version', async () => {
  const object = { apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'slash' } };
  await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body: JSON.stringify(object) });
  const patch = { method: 'PATCH', path: '/apis/g.io/v1/ts/slash', type: 'application/merge-patch+json' };
  const { code, json } = await server.ask({ ...patch, body: '{"apiVersion":"/"}' });
  const problem = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  expect([code, json.message]).toEqual([500, `Internal error occurred: ${problem}`]);
});

it('shows integers beyond 64 bits of an apply as floats', async () => {
  const body = 'apiVersion: g.io/v1\nkind: T\nmetadata: {name: 9223372036854775808}\n';
  const path = '/apis/g.io/v1/ts/large?fieldManager=m';
  const { json } = await server.ask({ method: 'PATCH', path, type: 'application/apply-patch+yaml', body });
  expect(json.message).toContain('expected string, got &value.valueUnstructured{Value:9.223372036854776e+18}');
});

it('shows a body without a kind in linear time', async () => {
  const body = `{"apiVersion":${' '.repeat(100_000)}"g.io/v1"}\n`;
  const start = performance.now();
  const { code } = await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts?fieldValidation=Ignore', body });
  // In quadratic time it takes more than 4 seconds.
  expect([code, performance.now() - start < 1_000]).toEqual([400, true]);
});
