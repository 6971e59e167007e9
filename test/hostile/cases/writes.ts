import { CONFIG_MAPS, type HostileCase, type HostileRequest, KIB, sending, TYPES } from '../hostile-case.ts';

/** Most of the values that a body may have. */
const MAX_ITEMS = 90_000;

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',');
const members = (count: number, value: string) => list(count, (i) => `"k${i}":${value}`);

const object = (kind: string, name: string, rest: string, metadata = '') =>
  `{"apiVersion":"v1","kind":"${kind}","metadata":{"name":"${name}"${metadata}}${rest}}`;
const configMap = (name: string, rest: string, metadata = '') => object('ConfigMap', name, rest, metadata);
const finalizers = (count: number, prefix = 'a') => `"finalizers":[${list(count, (i) => `"${prefix}/${i}"`)}]`;

/** A response with the greatest number of errors. */
const maxResponse = 1024 * KIB;
/** The response to a write has the managed fields. */
const stored = 3 * 1024 * KIB;

const SERVICES = '/api/v1/namespaces/default/services';
const service = (name: string, ports: string) =>
  object('Service', name, `,"spec":{"clusterIP":"None","ports":[${ports}]}`);

const create = (path: string, body: (name: string) => string) => (name: string) =>
  sending('POST', path, 'json', body(name));
/** New names each time: objects of an earlier run would count as well, and finalizers would keep them. */
const made = (rest: string, metadata = ''): readonly HostileRequest[] => [
  sending('PATCH', `${CONFIG_MAPS}/patched`, 'merge', '{"metadata":{"finalizers":null}}'),
  { method: 'DELETE', path: `${CONFIG_MAPS}/patched` },
  sending('POST', CONFIG_MAPS, 'json', configMap('patched', rest, metadata)),
];
const patch = (type: keyof typeof TYPES, body: () => string) => () =>
  sending('PATCH', `${CONFIG_MAPS}/patched`, type, body());
const apply = (body: (name: string) => string) => (name: string) =>
  sending('PATCH', `${CONFIG_MAPS}/${name}?fieldManager=hostile`, 'apply', body(name));

/** A large object that is there, written by an apply. */
const LARGE = 'large';
const keys = (count: number, value: string, prefix = 'k') =>
  `,"data":{${list(count, (i) => `"${prefix}${i}":${value}`)}}`;
const applied: readonly HostileRequest[] = [
  { method: 'DELETE', path: `${CONFIG_MAPS}/${LARGE}` },
  apply((name) => configMap(name, keys(45_000, '""')))(LARGE),
];
const changing = (method: string, type: keyof typeof TYPES, body: () => string, query = '') => ({
  before: applied,
  request: () => sending(method, `${CONFIG_MAPS}/${LARGE}${query}`, type, body()),
  maxResponse: stored,
});

/** Managed fields as a client sends them back. */
const managed = (count: number) => managedBy(`"f:data":{${list(count, (i) => `"f:k${i}":{}`)}}`);
const managedBy = (fields: string) =>
  `,"managedFields":[{"manager":"hostile","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",` +
  `"time":"2026-01-01T00:00:00Z","fieldsV1":{${fields}}}]`;

/** Writes whose bodies are right in very many places, or wrong. */
export const WRITE_CASES: readonly HostileCase[] = [
  {
    name: 'too many values',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${members(200_000, '""')}}`)),
    status: 413,
  },
  {
    name: 'wrong data keys',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${list(MAX_ITEMS, (i) => `"!${i}":""`)}}`)),
    status: 422,
    maxResponse,
  },
  {
    name: 'wrong labels',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"labels":{${list(MAX_ITEMS, (i) => `"!${i}":"!"`)}}`)),
    status: 422,
    maxResponse,
  },
  {
    name: 'wrong annotations',
    request: create(CONFIG_MAPS, (name) =>
      configMap(name, '', `,"annotations":{${list(MAX_ITEMS, (i) => `"!${i}":""`)}}`),
    ),
    status: 422,
    maxResponse,
  },
  {
    name: 'wrong finalizers',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"finalizers":[${list(MAX_ITEMS, () => '"!"')}]`)),
    status: 422,
    maxResponse,
  },
  {
    name: 'wrong owner references',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"ownerReferences":[${list(MAX_ITEMS, () => '{}')}]`)),
    status: 422,
    maxResponse,
  },
  {
    name: 'a quota of many resources and many scopes',
    request: create('/api/v1/namespaces/default/resourcequotas', (name) =>
      JSON.stringify({
        metadata: { name },
        spec: {
          hard: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`example.com/r${index}`, '1'])),
          scopes: Array.from({ length: 10_000 }, () => 'BestEffort'),
          scopeSelector: {
            matchExpressions: Array.from({ length: 10_000 }, () => ({ scopeName: 'BestEffort', operator: 'Exists' })),
          },
        },
      }),
    ),
  },
  {
    name: 'wrong ports',
    request: create(SERVICES, (name) =>
      service(
        name,
        list(40_000, () => '{"port":0}'),
      ),
    ),
    status: 422,
    maxResponse,
  },
  {
    name: '60,000 data keys',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${members(60_000, '""')}}`)),
    status: 201,
    maxResponse: stored,
  },
  {
    // V8 gives a map of 43,691 to 87,381 keys one size: this one takes most memory for its body.
    name: '45,000 data keys',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${members(45_000, '""')}}`)),
    status: 201,
    maxResponse: stored,
  },
  {
    name: '12,000 ports',
    request: create(SERVICES, (name) =>
      service(
        name,
        list(12_000, (i) => `{"name":"p${i}","port":${i + 1}}`),
      ),
    ),
    status: 201,
    maxResponse: stored,
  },
  {
    name: 'owner references that are no two the same',
    request: create(CONFIG_MAPS, (name) =>
      configMap(
        name,
        '',
        `,"ownerReferences":[${list(15_000, (i) => `{"apiVersion":"v1","kind":"A","name":"n","uid":"u${i}"}`)}]`,
      ),
    ),
    status: 201,
    maxResponse: stored,
  },
  {
    name: 'strategic merge of finalizers into others',
    before: made('', `,${finalizers(60_000)}`),
    request: patch('strategic', () => `{"metadata":{${finalizers(30_000, 'b')}}}`),
    status: 200,
    maxResponse: stored,
  },
  {
    name: 'strategic merge that orders and deletes',
    before: made('', `,${finalizers(60_000)}`),
    request: patch(
      'strategic',
      () => `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${list(MAX_ITEMS, (i) => `"a/${MAX_ITEMS - i}"`)}]}}`,
    ),
    status: 200,
    maxResponse: stored,
  },
  {
    name: 'JSON patch of 9,000 insertions at the head of a list',
    before: made('', `,${finalizers(60_000)}`),
    request: patch(
      'jsonPatch',
      () => `[${list(9_000, (i) => `{"op":"add","path":"/metadata/finalizers/0","value":"b/${i}"}`)}]`,
    ),
    status: 200,
    maxResponse: stored,
  },
  {
    name: 'JSON patch whose path has a million keys',
    before: made(',"data":{"a":""}'),
    request: patch('jsonPatch', () => `[{"op":"add","path":"/data${'/a'.repeat(1_400_000)}","value":"b"}]`),
    status: 422,
  },
  {
    name: 'a JSON patch with many names and one repeated',
    before: made(''),
    request: patch('jsonPatch', () => `[{"op":"add","path":"/zz","value":{"a":1,"a":1,${members(MAX_ITEMS, '1')}}}]`),
    status: 200,
  },
  {
    name: 'a JSON patch with many brackets and a repeated name',
    before: made(''),
    request: patch('jsonPatch', () => `[{"op":"add","path":"/zz","value":{"a":1,"a":"${'<'.repeat(2_900_000)}"}}]`),
    status: 200,
  },
  {
    name: 'managed fields with a repeated field',
    request: create(CONFIG_MAPS, (name) =>
      configMap(
        name,
        '',
        managedBy(`"f:data":{${list(10_000, (i) => `"f:k${i}":{}`)}}${',"f:data":{}'.repeat(90_000)}`),
      ),
    ),
    maxResponse: stored,
  },
  {
    name: 'managed fields with many escapes in a name',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', managedBy(`"f:\\b${'\\n'.repeat(600_000)}":{}`))),
    maxResponse: 2 * stored,
  },
  {
    name: 'merge patch of a large map',
    before: made(',"data":{"a":""}'),
    request: patch('merge', () => `{"data":{${members(60_000, '""')}}}`),
    status: 200,
    maxResponse: stored,
  },
  {
    name: 'apply of 60,000 data keys',
    request: apply((name) => configMap(name, `,"data":{${members(60_000, '""')}}`)),
    status: 201,
    maxResponse: stored,
  },
  {
    name: 'apply of 45,000 data keys',
    request: apply((name) => configMap(name, `,"data":{${members(45_000, '""')}}`)),
    status: 201,
    maxResponse: stored,
  },
  {
    name: 'update of 45,000 keys that are there',
    ...changing('PUT', 'json', () => configMap(LARGE, keys(45_000, '"1"'))),
    status: 200,
  },
  {
    name: 'update to 45,000 other keys',
    ...changing('PUT', 'json', () => configMap(LARGE, keys(45_000, '"1"', 'q'))),
    status: 200,
  },
  {
    name: 'update of 60,000 keys with their managed fields',
    ...changing('PUT', 'json', () => configMap(LARGE, keys(60_000, '""'), managed(60_000))),
    status: 200,
  },
  {
    name: 'update of managed fields beyond their bound',
    ...changing('PUT', 'json', () => configMap(LARGE, '', managed(180_000))),
    status: 413,
  },
  {
    name: 'merge patch of one of 45,000 keys',
    ...changing('PATCH', 'merge', () => '{"data":{"k7":"1"}}'),
    status: 200,
  },
  {
    name: 'strategic merge patch of 45,000 keys that are there',
    ...changing('PATCH', 'strategic', () => `{${keys(45_000, '"1"').slice(1)}}`),
    status: 200,
  },
  {
    name: 'merge patch that makes a large object wrong',
    ...changing('PATCH', 'merge', () => '{"data":{"k7":1}}'),
    status: 422,
    maxResponse: 3 * stored,
  },
  {
    name: 'apply to 45,000 keys that are there',
    ...changing('PATCH', 'apply', () => configMap(LARGE, keys(45_000, '"1"')), '?fieldManager=hostile'),
    status: 200,
  },
  {
    name: 'apply of 30,000 keys in place of 45,000',
    ...changing('PATCH', 'apply', () => configMap(LARGE, keys(30_000, '"1"', 'q')), '?fieldManager=hostile'),
    status: 200,
  },
  {
    name: 'apply of 45,000 keys of another manager',
    ...changing('PATCH', 'apply', () => configMap(LARGE, keys(45_000, '"1"')), '?fieldManager=other'),
    status: 409,
    maxResponse,
  },
  {
    name: 'a dry run of 80,000 finalizers, in YAML',
    before: made(''),
    request: () => {
      const body = `{"metadata":{${finalizers(80_000, 'example.com')}}}`;
      const request = sending('PATCH', `${CONFIG_MAPS}/patched?dryRun=All`, 'merge', body);
      return { ...request, headers: { ...request.headers, accept: TYPES.yaml } };
    },
    status: 200,
    maxResponse: 3 * stored,
  },
  {
    name: 'apply of a finalizer 90,000 times',
    request: apply((name) => configMap(name, '', `,"finalizers":[${list(MAX_ITEMS, () => '"a/b"')}]`)),
    status: 500,
    maxResponse,
  },
];
