import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInMemory, until } from '../testing/memory-server.js';

// v1 is the endpoint's version; v3 is not served; v9 is not defined. Each version has one field of its own.
const GROUP = 'other.example.com';
const set = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
const field = (name: string) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { shared: { type: 'string' }, [name]: { type: 'string' }, set } } },
});
const version = (name: string, own: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: field(own) },
  ...more,
});
const definition = (plural: string, kind: string, versions: readonly object[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: { group: GROUP, scope: 'Cluster', names: { plural, kind }, versions },
});
const parts = definition('parts', 'Part', [
  version('v1', 'a', { storage: true }),
  version('v2', 'b'),
  version('v3', 'c', { served: false }),
]);
/** Its versions differ in their names alone. */
const additionalPrinterColumns = [{ name: 'version', type: 'string', jsonPath: '.apiVersion' }];
const twins = definition('twins', 'Twin', [
  version('v1', 'a', { storage: true }),
  version('v2', 'a', { additionalPrinterColumns }),
]);
const hidden = definition('hiddens', 'Hidden', [
  version('v1', 'a', { storage: true, served: false }),
  version('v2', 'a'),
]);

const PARTS = `/apis/${GROUP}/v1/parts`;
const server = startInMemory();
beforeAll(async () => {
  await server.started;
  for (const one of [parts, twins, hidden]) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await server.ask({ method: 'POST', path, body: JSON.stringify(one) })).code).toBe(201);
  }
  await until(server, PARTS, () => true);
  await until(server, `/apis/${GROUP}/v2/twins`, () => true);
  await until(server, `/apis/${GROUP}/v2/hiddens`, () => true);
});
afterAll(() => server.stop());

// The hash of other.example.com/v1/Part.
it('discovery has the hash of the storage version for every version', async () => {
  const hashes = ['v1', 'v2'].map(async (name) => (await discovered(name, 'parts')).storageVersionHash);
  expect(await Promise.all(hashes)).toEqual(['sXBqn0Lj/wI=', 'sXBqn0Lj/wI=']);
});

it('discovery has no hash of a storage version that is not served', async () => {
  expect(await discovered('v2', 'hiddens')).toMatchObject({ kind: 'Hidden', storageVersionHash: undefined });
});

async function discovered(
  version: string,
  resource: string,
): Promise<{ readonly name?: string; readonly storageVersionHash?: string | undefined }> {
  const { json } = await server.ask({ method: 'GET', path: `/apis/${GROUP}/${version}` });
  const { resources } = json as { readonly resources: readonly { readonly name: string }[] };
  return { storageVersionHash: undefined, ...resources.find((one) => one.name === resource) };
}

it('a column shows the apiVersion of the request', async () => {
  const path = `/apis/${GROUP}/v2/twins`;
  const body = JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'Twin', metadata: { name: 'shown' } });
  expect((await server.ask({ method: 'POST', path: path.replace('v2', 'v1'), body })).code).toBe(201);
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { json } = await server.ask({ method: 'GET', path: `${path}/shown`, accept });
  await server.ask({ method: 'DELETE', path: `${path}/shown` });
  expect(json).toMatchObject({ rows: [{ cells: ['shown', `${GROUP}/v2`] }] });
});

it('an unknown field of another kind is an error that names this kind twice', async () => {
  const body = { apiVersion: `${GROUP}/v1`, kind: 'Other', metadata: { name: 'p', unknown: 1 } };
  const [code, message] = await send('POST', `${PARTS}?fieldValidation=Strict`, body);
  const fault = 'strict decoding error: unknown field "metadata.unknown"';
  expect([code, message]).toEqual([400, `Other in version "v1" cannot be handled as a Other: ${fault}`]);
});

type Outcome = readonly [code: number, message: string, warnings: readonly string[]];

async function send(method: string, path: string, body: object, type = 'application/json'): Promise<Outcome> {
  const { code, json, warnings } = await server.ask({ method, path, type, body: JSON.stringify(body) });
  return [code, json.message ?? '', warnings];
}

const part = (apiVersion: string, more: object = {}) => ({
  apiVersion,
  kind: 'Part',
  metadata: { name: 'p' },
  spec: { shared: 'x', a: 'x' },
  ...more,
});
const mismatch = (apiVersion: string) =>
  `the API version in the data (${apiVersion}) does not match the expected API version (${GROUP}/v1)`;
const unusable = (name: string, why: string, kind = 'Part') =>
  `${kind} in version "${name}" cannot be handled as a Part: ${why}`;
const unknown = (...fields: readonly string[]) => fields.map((name) => `unknown field "${name}"`);
const strict = (...fields: readonly string[]) => `strict decoding error: ${unknown(...fields).join(', ')}`;

describe.each([
  ['a create', 'POST', PARTS],
  ['an update', 'PUT', `${PARTS}/p`],
])('the body of %s', (_, method, path) => {
  it.each([
    ['another served version', 'v2', ['spec.a']],
    ['a version that is not served', 'v3', ['spec.a']],
    ['a version that is not defined', 'v9', ['spec']],
  ])('has the fields of its own version: %s', async (_about, name, fields) => {
    const apiVersion = `${GROUP}/${name}`;
    const body = part(apiVersion);
    expect({
      strict: await send(method, `${path}?fieldValidation=Strict`, body),
      warn: await send(method, `${path}?fieldValidation=Warn`, body),
      ignore: await send(method, `${path}?fieldValidation=Ignore`, body),
    }).toEqual({
      strict: [400, unusable(name, strict(...fields)), []],
      warn: [400, mismatch(apiVersion), unknown(...fields)],
      ignore: [400, mismatch(apiVersion), []],
    });
  });

  it.each<readonly [string, object, string]>([
    ['whose fields are known', part(`${GROUP}/v2`, { spec: { b: 'x' } }), mismatch(`${GROUP}/v2`)],
    ['with metadata alone', part(`${GROUP}/v9`, { spec: undefined }), mismatch(`${GROUP}/v9`)],
    ['without apiVersion', part('', { apiVersion: undefined, other: 1 }), mismatch('')],
    ['of another group', part('apps/v1', { other: 1 }), mismatch('apps/v1')],
    [
      'of another group, with unknown metadata',
      part('apps/v1', { metadata: { name: 'p', x: 1 } }),
      unusable('v1', strict('metadata.x')),
    ],
    [
      'with metadata of a wrong type',
      part(`${GROUP}/v2`, { metadata: 'p' }),
      unusable('v2', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'),
    ],
  ])('is refused if it is one %s', async (_about, body, message) => {
    expect(await send(method, `${path}?fieldValidation=Strict`, body)).toEqual([400, message, []]);
  });
});

it('an object of another kind keeps its fields until validation', async () => {
  const body = part(`${GROUP}/v1`, { kind: 'Foo', other: 1 });
  const message = `Foo.${GROUP} "p" is invalid: kind: Invalid value: "Foo": must be Part`;
  expect(await send('POST', `${PARTS}?fieldValidation=Strict`, body)).toEqual([422, message, []]);
});

it('lists of an object of another kind are validated', async () => {
  const body = part(`${GROUP}/v1`, { kind: 'Foo', spec: { set: ['x', 'x'], shared: 1 } });
  const message = `Foo.${GROUP} "p" is invalid: [kind: Invalid value: "Foo": must be Part, spec.set[1]: Duplicate value: "x"]`;
  expect(await send('POST', PARTS, body)).toEqual([422, message, []]);
});

describe('a patch', () => {
  beforeEach(() => send('POST', PARTS, part(`${GROUP}/v1`)));

  const invalid = (name: string, expected = 'v1', kind = 'Part') =>
    `${kind}.${GROUP} "p" is invalid: apiVersion: Invalid value: "${GROUP}/${name}": must be ${GROUP}/${expected}`;
  const patches: Readonly<Record<string, (apiVersion: string) => object>> = {
    'application/merge-patch+json': (apiVersion) => ({ apiVersion }),
    'application/json-patch+json': (value) => [{ op: 'replace', path: '/apiVersion', value }],
  };

  describe.each(Object.keys(patches))('%s', (type) => {
    it.each([
      ['another served version', 'v2', ['spec.a']],
      ['a version that is not served', 'v3', ['spec.a']],
      ['a version that is not defined', 'v9', ['spec']],
    ])('to %s is decoded in that version', async (_about, name, fields) => {
      const body = patches[type]?.(`${GROUP}/${name}`) ?? {};
      const path = `${PARTS}/p?fieldValidation=`;
      expect({
        strict: await send('PATCH', `${path}Strict`, body, type),
        warn: await send('PATCH', `${path}Warn`, body, type),
        ignore: await send('PATCH', `${path}Ignore`, body, type),
      }).toEqual({
        strict: [422, expect.stringMatching(/^ "" is invalid: patch: Invalid value: "/), []],
        warn: [422, invalid(name), unknown(...fields)],
        ignore: [422, invalid(name), []],
      });
      const [, message] = await send('PATCH', `${path}Strict`, body, type);
      expect(message.endsWith(`: ${strict(...fields)}`)).toBe(true);
    });
  });

  it('to the storage version reports unknown fields before the version', async () => {
    const path = `/apis/${GROUP}/v2/twins`;
    await send('POST', path, part(`${GROUP}/v2`, { kind: 'Twin' }));
    const patch = (validation: string) =>
      send(
        'PATCH',
        `${path}/p?fieldValidation=${validation}`,
        { apiVersion: `${GROUP}/v1`, spec: { u: 'x' } },
        'application/merge-patch+json',
      );
    expect([await patch('Strict'), await patch('Warn')]).toEqual([
      [422, expect.stringMatching(/: strict decoding error: unknown field "spec\.u"$/), []],
      [422, invalid('v1', 'v2', 'Twin'), unknown('spec.u')],
    ]);
  });
});

describe('an object in a version that its definition has lost', () => {
  it.each([
    ['by name alone', 'a'],
    ['with its schema', 'b'],
  ])('%s is unreadable', async (title, field) => {
    const [plural, kind] = title === 'by name alone' ? ['alikes', 'Alike'] : ['others', 'Other'];
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const crd = `${crds}/${plural}.${GROUP}`;
    const merge = (path: string, body: object) => send('PATCH', path, body, 'application/merge-patch+json');
    const v2 = version('v2', field, { storage: true });
    await send('POST', crds, definition(plural, kind, [version('v1', 'a', { storage: true })]));
    const objects = `/apis/${GROUP}/v1/${plural}`;
    await until(server, objects, () => true);
    await send('POST', objects, { apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'old' } });
    await merge(crd, { spec: { versions: [version('v1', 'a'), v2] } });
    await merge(`${crd}/status`, { status: { storedVersions: ['v2'] } });
    expect(await merge(crd, { spec: { versions: [v2] } })).toEqual([200, '', []]);
    const message = `request to convert CR from an invalid group/version: ${GROUP}/v1`;
    const now = `/apis/${GROUP}/v2/${plural}`;
    await expect.poll(async () => (await server.ask({ method: 'GET', path: `${now}/old` })).json.message).toBe(message);
    expect([await send('GET', now, {}), await send('DELETE', `${now}/old`, {})]).toEqual([
      [500, message, []],
      [500, message, []],
    ]);
  });
});

it('a definition in its version at rest does not match the version of its endpoint', async () => {
  const body = {
    ...definition('olds', 'Old', [version('v1', 'a', { storage: true })]),
    apiVersion: 'apiextensions.k8s.io/v1beta1',
  };
  expect(await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body)).toEqual([
    400,
    'the API version in the data (apiextensions.k8s.io/v1beta1) does not match the expected API version (apiextensions.k8s.io/v1)',
    [],
  ]);
});

it('an apply to an object that no longer fits its schema is refused', async () => {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const sized = (type: string) => ({
    ...version('v1', 'a', { storage: true }),
    schema: { openAPIV3Schema: { type: 'object', properties: { size: { type }, color: { type: 'string' } } } },
  });
  await send('POST', crds, definition('resizeds', 'Resized', [sized('integer')]));
  const objects = `/apis/${GROUP}/v1/resizeds`;
  await until(server, objects, () => true);
  const resized = (name: string, more: object) => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Resized',
    metadata: { name },
    ...more,
  });
  const apply = (name: string, more: object) =>
    send('PATCH', `${objects}/${name}?fieldManager=me`, resized(name, more), 'application/apply-patch+yaml');
  await apply('applied', { size: 5 });
  await send('POST', `${objects}?fieldManager=`, resized('created', { size: 5 }));
  const spec = { versions: [sized('string')] };
  await send('PATCH', `${crds}/resizeds.${GROUP}`, { spec }, 'application/merge-patch+json');
  const wrong = '.size: expected string, got &value.valueUnstructured{Value:5}';
  const live = (name: string) => `failed to create typed live object (/${name}; ${GROUP}/v1, Kind=Resized): ${wrong}`;
  await expect.poll(() => apply('applied', { color: 'red' })).toEqual([500, live('applied'), []]);
  expect(await apply('created', { color: 'red' })).toEqual([500, live('created'), []]);
});
