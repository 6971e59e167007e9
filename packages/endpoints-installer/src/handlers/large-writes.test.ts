import { describe, expect, it } from 'vitest';
import type { TestExchangeOptions } from '../testing/test-exchange.js';
import { CONFIG_MAP_A, CONFIG_MAPS, configMapBody, serverWithA } from '../testing/write-fixtures.js';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const JSON_TYPE = 'application/json';

/** Padding that makes a body large: more than 64 KiB are processed in steps. */
const PADDING = ' '.repeat(65_536);

type Write = readonly [method: string, url: string, type: string, body: unknown];

const patch = (type: string, body: unknown, query = ''): Write => ['PATCH', `${CONFIG_MAP_A}${query}`, type, body];
const apply = (manager: string, rest: object, query = '', metadata: object = {}): Write =>
  patch(APPLY, configMapBody(rest, metadata), `?fieldManager=${manager}${query}`);
const update = (rest: object, metadata: object = {}, query = ''): Write => [
  'PUT',
  `${CONFIG_MAP_A}${query}`,
  JSON_TYPE,
  configMapBody(rest, metadata),
];
const create = (rest: object, metadata: object = {}, query = ''): Write => [
  'POST',
  `${CONFIG_MAPS}${query}`,
  JSON_TYPE,
  configMapBody(rest, { name: 'b', ...metadata }),
];

const request = ([method, url, type, body]: Write, padding: string): TestExchangeOptions => ({
  method,
  url,
  headers: { 'Content-Type': type },
  body: (typeof body === 'string' ? body : JSON.stringify(body)) + padding,
});

/** The responses to consecutive writes. */
async function responses(writes: readonly Write[], padding: string): Promise<readonly unknown[]> {
  const server = serverWithA();
  const given: unknown[] = [];
  for (const write of writes) {
    const { status, text, warnings } = await server.call(request(write, padding));
    given.push([status, text, warnings]);
  }
  return given;
}

const finalizers = (...names: readonly string[]) => ({ metadata: { finalizers: names } });
const managed = (manager: string, fieldsV1: unknown) => ({
  managedFields: [{ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }],
});

describe('a large body has the response of a small one', () => {
  it.each<[string, readonly number[], readonly Write[]]>([
    ['create', [201, 409], [create({ data: { k: '1' } }), create({})]],
    ['create with faults', [400, 201], [create({ x: 1 }, {}, '?fieldValidation=Strict'), create({ x: 1 })]],
    ['create with wrong types', [400], [create({ data: [] })]],
    ['create with managed fields', [201], [create({ data: { k: '1' } }, managed('m', { 'f:data': { 'f:k': {} } }))]],
    [
      'update',
      [200, 200, 200, 404, 400],
      [
        update({ data: { k: '2', l: '' } }),
        update({ data: { l: '' } }, {}, '?fieldManager=other'),
        update({ data: { l: '' } }, { managedFields: [] }),
        ['PUT', `${CONFIG_MAPS}/none`, JSON_TYPE, configMapBody({}, { name: 'none' })],
        update({ data: 1 }),
      ],
    ],
    [
      'merge patch',
      [200, 200, 200, 422, 400, 422, 200],
      [
        patch(MERGE, { data: { k: null, l: '1' } }),
        patch(MERGE, { metadata: { labels: { a: 'b' } } }, '?fieldManager=other'),
        patch(MERGE, { metadata: { managedFields: [] } }),
        patch(MERGE, { data: 1 }),
        patch(MERGE, '['),
        patch(MERGE, { x: 1 }, '?fieldValidation=Strict'),
        patch(MERGE, { x: 1 }),
      ],
    ],
    [
      'strategic merge patch',
      [200, 200, 200, 422, 400, 422, 200],
      [
        patch(STRATEGIC, finalizers('a/b', 'a/c')),
        patch(STRATEGIC, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a/b'] } }),
        patch(STRATEGIC, { data: { $patch: 'replace', l: '' } }),
        patch(STRATEGIC, { data: { l: 1 } }),
        patch(STRATEGIC, '[]'),
        patch(STRATEGIC, { x: 1 }, '?fieldValidation=Strict'),
        patch(STRATEGIC, { x: 1 }),
      ],
    ],
    [
      'JSON patch',
      [200, 200, 422, 200, 422],
      [
        patch(JSON_PATCH, [{ op: 'add', path: '/data/l', value: '' }]),
        patch(JSON_PATCH, [{ op: 'copy', from: '/data/l', path: '/data/m' }]),
        patch(JSON_PATCH, [{ op: 'remove', path: '/data/none' }]),
        patch(JSON_PATCH, [{ op: 'remove', path: '/kind' }]),
        patch(JSON_PATCH, [{ op: 'replace', path: '/kind', value: 'Secret' }]),
      ],
    ],
    [
      'a patch of what is not there',
      [404, 404],
      [
        ['PATCH', `${CONFIG_MAPS}/none`, MERGE, {}],
        ['PATCH', `${CONFIG_MAPS}/none`, JSON_PATCH, 'no JSON'],
      ],
    ],
    [
      'apply',
      [200, 200, 409, 200, 200, 200],
      [
        apply('m', { data: { k: '1', l: '1' } }),
        apply('m', { data: { l: '2' } }),
        apply('n', { data: { l: '3', o: '' } }),
        apply('n', { data: { l: '3', o: '' } }, '&force=true'),
        apply('n', { data: { l: '3', o: '' } }, '&force=true'),
        apply('n', finalizers('a/b')),
      ],
    ],
    [
      'apply that is refused',
      [400, 400, 500, 409, 200],
      [
        patch(APPLY, { apiVersion: 'v1', kind: 'Secret' }, '?fieldManager=m'),
        apply('m', {}, '', { managedFields: [] }),
        apply('m', { data: [] }),
        ['PATCH', `${CONFIG_MAPS}/b?fieldManager=m`, APPLY, configMapBody({}, { name: 'b', uid: 'u' })],
        patch(
          APPLY,
          `${JSON.stringify(configMapBody({ data: { k: '1' } })).slice(0, -1)},"data":{}}`,
          '?fieldManager=m',
        ),
      ],
    ],
    [
      'kubectl, which may take what it applied before',
      [200, 200],
      [
        patch(MERGE, {
          metadata: {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(configMapBody({ data: { k: '1' } })),
            },
          },
        }),
        apply('kubectl', { data: { k: '2' } }),
      ],
    ],
  ])('%s', async (_, statuses, writes) => {
    const small = await responses(writes, '');
    expect(small.map((response) => (response as readonly unknown[])[0])).toEqual(statuses);
    expect(await responses(writes, PADDING)).toEqual(small);
  });
});
