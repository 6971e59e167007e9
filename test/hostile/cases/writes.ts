import { CONFIG_MAPS, type HostileCase, type HostileRequest, KIB, sending, type TYPES } from '../hostile-case.ts';

/** Most of the values that a body may have. */
const MOST = 90_000;

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',');
const members = (count: number, value: string) => list(count, (i) => `"k${i}":${value}`);

const object = (kind: string, name: string, rest: string, metadata = '') =>
  `{"apiVersion":"v1","kind":"${kind}","metadata":{"name":"${name}"${metadata}}${rest}}`;
const configMap = (name: string, rest: string, metadata = '') => object('ConfigMap', name, rest, metadata);
const finalizers = (count: number, prefix = 'a') => `"finalizers":[${list(count, (i) => `"${prefix}/${i}"`)}]`;

const SERVICES = '/api/v1/namespaces/default/services';
const service = (name: string, ports: string) =>
  object('Service', name, `,"spec":{"clusterIP":"None","ports":[${ports}]}`);

const create = (path: string, body: (name: string) => string) => (name: string) =>
  sending('POST', path, 'json', body(name));
const made = (rest: string, metadata = ''): readonly HostileRequest[] => [
  sending('POST', CONFIG_MAPS, 'json', configMap('patched', rest, metadata)),
];
const patch = (type: keyof typeof TYPES, body: () => string) => () =>
  sending('PATCH', `${CONFIG_MAPS}/patched`, type, body());
const apply = (body: (name: string) => string) => (name: string) =>
  sending('PATCH', `${CONFIG_MAPS}/${name}?fieldManager=hostile`, 'apply', body(name));

/** An answer with the greatest number of errors. */
const maxAnswer = 1024 * KIB;
/** An object that is stored is answered with the fields that somebody manages. */
const stored = 3 * 1024 * KIB;

/** Writes whose bodies are right in very many places, or wrong. */
export const WRITE_CASES: readonly HostileCase[] = [
  {
    name: 'too many values',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${members(200_000, '""')}}`)),
    status: 413,
  },
  {
    name: 'wrong data keys',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${list(MOST, (i) => `"!${i}":""`)}}`)),
    status: 422,
    maxAnswer,
  },
  {
    name: 'wrong labels',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"labels":{${list(MOST, (i) => `"!${i}":"!"`)}}`)),
    status: 422,
    maxAnswer,
  },
  {
    name: 'wrong annotations',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"annotations":{${list(MOST, (i) => `"!${i}":""`)}}`)),
    status: 422,
    maxAnswer,
  },
  {
    name: 'wrong finalizers',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"finalizers":[${list(MOST, () => '"!"')}]`)),
    status: 422,
    maxAnswer,
  },
  {
    name: 'wrong owner references',
    request: create(CONFIG_MAPS, (name) => configMap(name, '', `,"ownerReferences":[${list(MOST, () => '{}')}]`)),
    status: 422,
    maxAnswer,
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
    maxAnswer,
  },
  {
    name: '60,000 data keys',
    request: create(CONFIG_MAPS, (name) => configMap(name, `,"data":{${members(60_000, '""')}}`)),
    status: 201,
    maxAnswer: stored,
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
    maxAnswer: stored,
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
    maxAnswer: stored,
  },
  {
    name: 'strategic merge of finalizers into others',
    before: made('', `,${finalizers(60_000)}`),
    request: patch('strategic', () => `{"metadata":{${finalizers(30_000, 'b')}}}`),
    status: 200,
    maxAnswer: stored,
  },
  {
    name: 'strategic merge that orders and deletes',
    before: made('', `,${finalizers(60_000)}`),
    request: patch(
      'strategic',
      () => `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${list(MOST, (i) => `"a/${MOST - i}"`)}]}}`,
    ),
    status: 200,
    maxAnswer: stored,
  },
  {
    name: 'JSON patch of 9,000 insertions at the head of a list',
    before: made('', `,${finalizers(60_000)}`),
    request: patch(
      'jsonPatch',
      () => `[${list(9_000, (i) => `{"op":"add","path":"/metadata/finalizers/0","value":"b/${i}"}`)}]`,
    ),
    status: 200,
    maxAnswer: stored,
  },
  {
    name: 'merge patch of a large map',
    before: made(',"data":{"a":""}'),
    request: patch('merge', () => `{"data":{${members(60_000, '""')}}}`),
    status: 200,
    maxAnswer: stored,
  },
  {
    name: 'apply of 60,000 data keys',
    request: apply((name) => configMap(name, `,"data":{${members(60_000, '""')}}`)),
    status: 201,
    maxAnswer: stored,
  },
  {
    name: 'apply of a finalizer 90,000 times',
    request: apply((name) => configMap(name, '', `,"finalizers":[${list(MOST, () => '"a/b"')}]`)),
    status: 500,
    maxAnswer,
  },
];
