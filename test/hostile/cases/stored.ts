import { CONFIG_MAPS, type HostileCase, type HostileRequest, KIB, sending } from '../hostile-case.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const SECRETS = `${NAMESPACE}/secrets`;
const SERVICES = `${NAMESPACE}/services`;

/** A response with the stored object, in the most verbose encoding. */
const maxResponse = 4 * 1024 * KIB;
/** Objects of a list: each may be kept, parsed and made by itself. */
const SEVERAL = 6;

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',');
/** As many keys as the store accepts, with their managed fields. */
const KEYS = 60_000;
const keys = (value = '""') => list(KEYS, (i) => `"k${i}":${value}`);
/** Keys that JavaScript keeps apart from others, in an order of their own. */
const numbers = (value = '""') => list(KEYS, (i) => `"${(i * 7919) % 1_000_000_007}":${value}`);
const finalizers = (count: number) => `"finalizers":[${list(count, (i) => `"a/${i}"`)}]`;

function object(kind: string, name: string, rest: string, metadata = ''): string {
  return `{"apiVersion":"v1","kind":"${kind}","metadata":{"name":"${name}"${metadata}}${rest}}`;
}

const at = (name: string) => `${CONFIG_MAPS}/${name}`;

/** An object that was not read yet. */
function made(name: string, rest = `,"data":{${keys()}}`, metadata = ''): readonly HostileRequest[] {
  const released = sending('PATCH', at(name), 'merge', '{"metadata":{"finalizers":null}}');
  return [
    released,
    { method: 'DELETE', path: at(name) },
    sending('POST', CONFIG_MAPS, 'json', object('ConfigMap', name, rest, metadata)),
  ];
}

/** An object that is there, and a request to it. */
function onto(name: string, request: (path: string) => HostileRequest, before = made(name)) {
  return { before, request: () => request(at(name)), maxResponse, status: 200 };
}

const get = (path: string, accept: string): HostileRequest => ({ method: 'GET', path, headers: { accept } });
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Several large objects with a label, and a request for all that have it. */
function ofSeveral(label: string, request: (path: string) => HostileRequest, collection = CONFIG_MAPS) {
  const kind = collection === SECRETS ? 'Secret' : 'ConfigMap';
  const metadata = `,"labels":{"hostile":"${label}"}`;
  const path = `${collection}?labelSelector=hostile%3D${label}`;
  const before = [
    { method: 'DELETE', path },
    ...Array.from({ length: SEVERAL }, (_, i) =>
      sending('POST', collection, 'json', object(kind, `${label}-${i}`, `,"data":{${keys()}}`, metadata)),
    ),
  ];
  return { before, request: () => request(path), maxResponse: SEVERAL * maxResponse, status: 200 };
}

/** Requests with a small body: the stored object is expensive. */
export const STORED_CASES: readonly HostileCase[] = [
  {
    name: 'update with a small body',
    ...onto('st-put', (path) => sending('PUT', path, 'json', object('ConfigMap', 'st-put', ',"data":{"a":"b"}'))),
  },
  {
    name: 'update of all keys',
    ...onto('st-put-all', (path) =>
      sending('PUT', path, 'json', object('ConfigMap', 'st-put-all', `,"data":{${keys('"x"')}}`)),
    ),
  },
  {
    name: 'update that changes nothing',
    ...onto('st-same', (path) => sending('PUT', path, 'json', object('ConfigMap', 'st-same', `,"data":{${keys()}}`))),
  },
  {
    name: 'update of keys that are numbers',
    ...onto(
      'st-numbers',
      (path) => sending('PUT', path, 'json', object('ConfigMap', 'st-numbers', `,"data":{${numbers('"x"')}}`)),
      made('st-numbers', `,"data":{${numbers()}}`),
    ),
  },
  {
    name: 'merge patch of one key',
    ...onto('st-merge', (path) => sending('PATCH', path, 'merge', '{"data":{"a":"b"}}')),
  },
  {
    name: 'strategic merge patch of one key',
    ...onto('st-strategic', (path) => sending('PATCH', path, 'strategic', '{"data":{"a":"b"}}')),
  },
  {
    name: 'JSON patch of one key',
    ...onto('st-json', (path) => sending('PATCH', path, 'jsonPatch', '[{"op":"add","path":"/data/a","value":"b"}]')),
  },
  {
    name: 'apply of one key',
    ...onto('st-apply', (path) =>
      sending('PATCH', `${path}?fieldManager=hostile`, 'apply', object('ConfigMap', 'st-apply', ',"data":{"a":"b"}')),
    ),
  },
  {
    name: 'update of a status',
    before: [
      sending(
        'POST',
        SERVICES,
        'json',
        object(
          'Service',
          'st-status',
          `,"spec":{"clusterIP":"None","ports":[${list(9_000, (i) => `{"name":"p${i}","port":${i + 1}}`)}]}`,
        ),
      ),
    ],
    request: () => sending('PATCH', `${SERVICES}/st-status/status`, 'merge', '{"status":{"conditions":[]}}'),
    status: 200,
    maxResponse,
  },
  { name: 'delete', ...onto('st-delete', (path) => ({ method: 'DELETE', path })) },
  {
    name: 'delete of keys that are numbers',
    ...onto(
      'st-delete-numbers',
      (path) => ({ method: 'DELETE', path }),
      made('st-delete-numbers', `,"data":{${numbers()}}`),
    ),
  },
  {
    name: 'delete with preconditions',
    before: made('st-conditions'),
    request: () => sending('DELETE', at('st-conditions'), 'json', '{"preconditions":{"uid":"other"}}'),
    status: 409,
  },
  {
    name: 'delete that is tried',
    ...onto('st-dry', (path) => ({ method: 'DELETE', path: `${path}?dryRun=All` })),
  },
  {
    name: 'delete that orphans',
    ...onto('st-orphan', (path) => sending('DELETE', path, 'json', '{"propagationPolicy":"Orphan"}')),
  },
  {
    name: 'delete of what finalizers hold',
    ...onto('st-held', (path) => ({ method: 'DELETE', path }), made('st-held', '', `,${finalizers(60_000)}`)),
  },
  {
    name: 'removal of the last finalizers',
    before: [
      ...made('st-last', `,"data":{${keys()}}`, ',"finalizers":["a/b"]'),
      { method: 'DELETE', path: at('st-last') },
    ],
    request: () => sending('PATCH', at('st-last'), 'merge', '{"metadata":{"finalizers":null}}'),
    status: 200,
    maxResponse,
  },
  { name: 'deletecollection', ...ofSeveral('st-collection', (path) => ({ method: 'DELETE', path })) },
  { name: 'get as YAML', ...onto('st-get', (path) => get(path, 'application/yaml')) },
  { name: 'get as a Table', ...onto('st-get', (path) => get(path, TABLE)) },
  { name: 'get of metadata', ...onto('st-get', (path) => get(path, METADATA)) },
  { name: 'get as protobuf', ...onto('st-get', (path) => get(path, PROTOBUF)) },
  { name: 'get as indented JSON', ...onto('st-get', (path) => get(`${path}?pretty=1`, 'application/json')) },
  { name: 'get as CBOR', ...onto('st-get', (path) => get(path, 'application/cbor')) },
  { name: 'list as YAML', ...ofSeveral('st-list', (path) => get(path, 'application/yaml')) },
  { name: 'list as a Table', ...ofSeveral('st-list', (path) => get(path, TABLE)) },
  { name: 'list of metadata', ...ofSeveral('st-list', (path) => get(path, METADATA_LIST)) },
  { name: 'list as protobuf', ...ofSeveral('st-list', (path) => get(path, PROTOBUF)) },
  { name: 'list as indented JSON', ...ofSeveral('st-list', (path) => get(`${path}&pretty=1`, 'application/json')) },
  { name: 'list as CBOR', ...ofSeveral('st-list', (path) => get(path, 'application/cbor')) },
  {
    name: 'list by a field',

    ...ofSeveral('st-field', (path) => get(`${path}&fieldSelector=type%3DOpaque`, 'application/json'), SECRETS),
  },
  {
    name: 'watch as protobuf',

    ...ofSeveral('st-list', (path) => get(`${path}&watch=1&timeoutSeconds=2`, PROTOBUF)),
  },
  {
    name: 'watch as Tables',

    ...ofSeveral('st-list', (path) => get(`${path}&watch=1&timeoutSeconds=2`, TABLE)),
  },
  {
    name: 'watch by a field',

    ...ofSeveral(
      'st-field',
      (path) => get(`${path}&watch=1&timeoutSeconds=2&fieldSelector=type%3DOpaque`, 'application/json'),
      SECRETS,
    ),
  },
];
