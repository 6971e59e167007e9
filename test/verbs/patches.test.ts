import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Conversation, type Line } from './conversation.ts';

const CONFIG_MAP = '/api/v1/namespaces/default/configmaps/a';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const DEPLOYMENT = `${DEPLOYMENTS}/d?dryRun=All`;
const TYPES =
  'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml';
const NO_MAP = 'into Go value of type map[string]interface {}';
const REJECTED = '422 Invalid: the server rejected our request due to an error in our request';

let talk: Conversation;
beforeAll(async () => {
  talk = await Conversation.start();
  await talk.body('POST /api/v1/namespaces/default/configmaps', {
    metadata: { name: 'a' },
    data: { k: 'v', l: 'w' },
  });
  const labels = { a: 'b' };
  const containers = [{ name: 'c', image: 'i', args: ['x'], ports: [{ containerPort: 1 }] }];
  await talk.body(`POST ${DEPLOYMENTS}`, {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, volumes: [{ name: 'v', emptyDir: {} }] } },
    },
  });
});
afterAll(() => talk[Symbol.asyncDispose]());

/** The patched ConfigMap in the text of a refusal. */
const shown = (data: string, rest = '') =>
  `"{\\"apiVersion\\":\\"v1\\",\\"data\\":${data},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":{\\"name\\":\\"a\\",\\"namespace\\":\\"default\\",` +
  '\\"uid\\":\\"UID\\",\\"resourceVersion\\":\\"N\\",\\"creationTimestamp\\":\\"TIME\\",' +
  '\\"managedFields\\":[{\\"manager\\":\\"unknown\\",\\"operation\\":\\"Update\\",\\"apiVersion\\":\\"v1\\",\\"time\\":\\"TIME\\",' +
  `\\"fieldsType\\":\\"FieldsV1\\",\\"fieldsV1\\":{\\"f:data\\":{\\".\\":{},\\"f:k\\":{},\\"f:l\\":{}}}}]}${rest}}"`;
const invalid = (value: string, why: string) => `422 Invalid:  "" is invalid: patch: Invalid value: ${value}: ${why}`;

const merges: readonly Line[] = [
  [
    'what is not there',
    'MERGE /api/v1/namespaces/default/configmaps/b',
    'no JSON',
    '404 NotFound: configmaps "b" not found',
  ],
  ['no JSON', `MERGE ${CONFIG_MAP}`, '{', '400 BadRequest: error decoding patch: unexpected end of JSON input'],
  ['no JSON, Ignore', `MERGE ${CONFIG_MAP}?fieldValidation=Ignore`, '{', '400 BadRequest: Invalid JSON Patch'],
  [
    'a list',
    `MERGE ${CONFIG_MAP}`,
    [1],
    `400 BadRequest: error decoding patch: json: cannot unmarshal array ${NO_MAP}`,
  ],
  ['null', `MERGE ${CONFIG_MAP}`, 'null', '400 BadRequest: Invalid JSON Patch'],
  [
    'faults, Warn',
    `MERGE ${CONFIG_MAP}?dryRun=All`,
    '{"x":1,"data":{"k":"1","k":"2"},"metadata":{"y":1}}',
    '200\nWarning: duplicate field "data.k"\nWarning: unknown field "metadata.y"\nWarning: unknown field "x"',
  ],
  [
    'faults, Strict',
    `MERGE ${CONFIG_MAP}?fieldValidation=Strict`,
    '{"x":1,"data":{"k":"1","k":"2"}}',
    invalid(
      shown('{\\"k\\":\\"2\\",\\"l\\":\\"w\\"}', ',\\"x\\":1'),
      'strict decoding error: duplicate field "data.k", unknown field "x"',
    ),
  ],
  [
    'a wrong type',
    `MERGE ${CONFIG_MAP}`,
    { data: { k: 1 } },
    invalid(
      shown('{\\"k\\":1,\\"l\\":\\"w\\"}'),
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ),
  ],
  [
    'another name',
    `MERGE ${CONFIG_MAP}`,
    { metadata: { name: 'b' } },
    '400 BadRequest: the name of the object (b) does not match the name on the URL (a)',
  ],
  [
    'no metadata',
    `MERGE ${CONFIG_MAP}`,
    { metadata: null },
    '400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided',
  ],
  [
    'another namespace',
    `MERGE ${CONFIG_MAP}`,
    { metadata: { namespace: 'b' } },
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    'another uid',
    `MERGE ${CONFIG_MAP}`,
    { metadata: { uid: 'x' } },
    '422 Invalid: ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
  ],
  [
    'an old version',
    `MERGE ${CONFIG_MAP}`,
    { metadata: { resourceVersion: '1' } },
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  ['no kind, no version', `MERGE ${CONFIG_MAP}?dryRun=All`, { kind: null, metadata: { resourceVersion: null } }, '200'],
  [
    'force',
    `MERGE ${CONFIG_MAP}?force=false`,
    {},
    '422 Invalid: PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ],
];

const operations: readonly Line[] = [
  [
    'no list',
    `JSON ${CONFIG_MAP}`,
    {},
    '400 BadRequest: error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  ],
  [
    'no list, Ignore',
    `JSON ${CONFIG_MAP}?fieldValidation=Ignore`,
    {},
    '400 BadRequest: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
  ],
  ['none', `JSON ${CONFIG_MAP}`, 'null', '200'],
  ['a test that fails', `JSON ${CONFIG_MAP}`, [{ op: 'test', path: '/data/k', value: 'x' }], REJECTED],
  ['a test for what is not there', `JSON ${CONFIG_MAP}`, [{ op: 'test', path: '/data/no', value: null }], '200'],
  ['removal of what is not there', `JSON ${CONFIG_MAP}`, [{ op: 'remove', path: '/data/no' }], REJECTED],
  [
    'replacement of what is not there',
    `JSON ${CONFIG_MAP}?dryRun=All`,
    [{ op: 'replace', path: '/data/no', value: '' }],
    '200',
  ],
  ['a place in nothing', `JSON ${CONFIG_MAP}`, [{ op: 'add', path: '/no/x', value: '' }], REJECTED],
  ['an unknown operation', `JSON ${CONFIG_MAP}`, [{ op: 'frob', path: '/data/k' }], REJECTED],
  [
    'an unknown member',
    `JSON ${CONFIG_MAP}?dryRun=All`,
    [{ op: 'add', path: '/data/x', value: '1', extra: 1 }],
    '200\nWarning: json patch unknown field "[0].extra"',
  ],
  [
    'another type of path',
    `JSON ${CONFIG_MAP}`,
    [{ op: 'add', path: 1 }],
    '400 BadRequest: error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
  ],
  [
    '10,001 of them',
    `JSON ${CONFIG_MAP}`,
    Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/k', value: 'v' })),
    '413 RequestEntityTooLarge: Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  ],
  [
    'copies beyond 3 MiB',
    `JSON ${CONFIG_MAP}`,
    [
      { op: 'add', path: '/data/big', value: 'x'.repeat(100_000) },
      ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data/big', path: `/data/${i}` })),
    ],
    REJECTED,
  ],
];

const podSpec = (spec: object) => ({ spec: { template: { spec } } });
const strategic: readonly Line[] = [
  ['no JSON', `STRATEGIC ${DEPLOYMENT}`, '{', '400 BadRequest: unexpected end of JSON input'],
  ['a list', `STRATEGIC ${DEPLOYMENT}`, '[]', `400 BadRequest: json: cannot unmarshal array ${NO_MAP}`],
  [
    'faults, Warn',
    `STRATEGIC ${DEPLOYMENT}`,
    '{"spec":{"replicas":1,"replicas":2,"zz":1}}',
    '200\nWarning: duplicate field "spec.replicas"\nWarning: unknown field "spec.zz"',
  ],
  [
    'faults, Strict',
    `STRATEGIC ${DEPLOYMENT}&fieldValidation=Strict`,
    '{"spec":{"replicas":1,"replicas":2,"zz":1}}',
    invalid(
      '"map[spec:map[replicas:2 zz:1]]"',
      'strict decoding error: duplicate field "spec.replicas", unknown field "spec.zz"',
    ),
  ],
  [
    'an unknown $patch',
    `STRATEGIC ${DEPLOYMENT}`,
    { spec: { $patch: 'x' } },
    '500 unknown: unknown patch type: x in map: map[$patch:x]',
  ],
  [
    'an item without its key',
    `STRATEGIC ${DEPLOYMENT}`,
    podSpec({ containers: [{ image: 'x' }] }),
    '500 unknown: map: map[image:x] does not contain declared merge key: name',
  ],
  [
    '$retainKeys without what is set',
    `STRATEGIC ${DEPLOYMENT}`,
    podSpec({ volumes: [{ name: 'v', hostPath: { path: '/' }, $retainKeys: ['name'] }] }),
    '400 BadRequest: invalid patch format of retainKeys',
  ],
  [
    '$setElementOrder that does not fit',
    `STRATEGIC ${DEPLOYMENT}`,
    podSpec({ containers: [{ name: 'z', image: 'z' }], '$setElementOrder/containers': [{ name: 'c' }] }),
    "500 unknown: The order in patch list:\n[map[image:z name:z]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
  ],
  [
    'a list for an object',
    `STRATEGIC ${DEPLOYMENT}`,
    { spec: [] },
    invalid('"map[spec:[]]"', 'cannot restore struct from: slice'),
  ],
  [
    'text for a number',
    `STRATEGIC ${DEPLOYMENT}`,
    { spec: { replicas: 'x' } },
    invalid('"map[spec:map[replicas:x]]"', 'unrecognized type: int32'),
  ],
  ['another kind', `STRATEGIC ${DEPLOYMENT}`, { kind: 'x', apiVersion: 'y' }, '200'],
];

const types: readonly Line[] = [
  ['an unknown type', `PATCH+json ${CONFIG_MAP}`, {}, '415 UnsupportedMediaType: 415: Unsupported Media Type'],
  [
    'one of several',
    `PATCH+merge-patch+json,x ${CONFIG_MAP}`,
    {},
    `415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: ${TYPES}`,
  ],
  ['with a charset', `PATCH+merge-patch+json;charset=x ${CONFIG_MAP}?dryRun=All`, {}, '200'],
];

describe.each([
  ['a merge patch', merges],
  ['JSON patch', operations],
  ['a strategic merge patch', strategic],
  ['a patch', types],
])('%s', (_of, lines) => {
  test.each(lines)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });
});

it('directives replace, delete, order and keep', async () => {
  const patch = podSpec({
    containers: [
      { name: 'z', image: 'z' },
      { name: 'c', ports: [{ containerPort: 2 }, { $patch: 'replace' }] },
    ],
    '$setElementOrder/containers': [{ name: 'z' }, { name: 'c' }],
    volumes: [{ name: 'v', hostPath: { path: '/' }, $retainKeys: ['name', 'hostPath'] }],
  });
  const { spec } = (await talk.body(`STRATEGIC ${DEPLOYMENT}`, patch)) as unknown as {
    spec: { template: { spec: { containers: { name: string; ports?: object }[]; volumes: object } } };
  };
  const { containers, volumes } = spec.template.spec;
  expect([containers.map(({ name, ports }) => ({ name, ports })), volumes]).toEqual([
    [
      { name: 'z', ports: undefined },
      { name: 'c', ports: [{ containerPort: 2, protocol: 'TCP' }] },
    ],
    [{ name: 'v', hostPath: { path: '/', type: '' } }],
  ]);
});
