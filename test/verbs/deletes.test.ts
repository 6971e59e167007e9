import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Conversation, type Line } from './conversation.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

let talk: Conversation;
beforeAll(async () => {
  talk = await Conversation.start({ args: ['--disable-admission-plugins=ServiceAccount'] });
  await talk.body(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' } });
});
afterAll(() => talk[Symbol.asyncDispose]());

const A = `${CONFIG_MAPS}/a`;
const OPTIONS = 'DeleteOptions.meta.k8s.io "" is invalid';
const precondition = (what: string, record: string) =>
  `409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the ${what} in record (${record}). The object might have been`;

const options: readonly Line[] = [
  ['what is not there', `DELETE ${CONFIG_MAPS}/no`, undefined, '404 NotFound: configmaps "no" not found'],
  [
    'no number',
    `DELETE ${A}?gracePeriodSeconds=`,
    undefined,
    '400 BadRequest: strconv.ParseInt: parsing "": invalid syntax',
  ],
  [
    'an unknown policy',
    `DELETE ${A}?propagationPolicy=x`,
    undefined,
    `422 Invalid: ${OPTIONS}: propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"`,
  ],
  [
    'both ways to orphan',
    `DELETE ${A}`,
    { propagationPolicy: 'Orphan', orphanDependents: true },
    `422 Invalid: ${OPTIONS}: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`,
  ],
  [
    'no JSON',
    `DELETE ${A}`,
    '{',
    "400 BadRequest: couldn't get version/kind; json parse error: unexpected end of JSON input",
  ],
  [
    'another kind',
    `DELETE ${A}`,
    { apiVersion: 'v1', kind: 'Pod' },
    '400 BadRequest: no kind "Pod" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [
    'another media type',
    `DELETE+x ${A}`,
    'x',
    '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
  [
    'another uid',
    `DELETE ${A}`,
    { preconditions: { uid: 'x' } },
    `${precondition('UID in the precondition (x) does not match the UID', 'UID')} deleted and then recreated`,
  ],
  [
    'another uid in the query, dry',
    `DELETE ${A}?uid=x&dryRun=All`,
    undefined,
    `${precondition('UID in the precondition (x) does not match the UID', 'UID')} deleted and then recreated`,
  ],
  [
    'another version',
    `DELETE ${A}`,
    { preconditions: { resourceVersion: '' } },
    `${precondition('ResourceVersion in the precondition () does not match the ResourceVersion', 'N')} modified`,
  ],
  [
    'dry, of any group, with fields nobody knows',
    `DELETE ${A}?dryRun=x`,
    { apiVersion: 'no/v9', kind: 'DeleteOptions', dryRun: ['All'], no: 1 },
    '200',
  ],
  [
    'dry, although reading fails',
    `DELETE ${A}`,
    { ignoreStoreReadErrorWithClusterBreakingPotential: true, dryRun: ['All'], gracePeriodSeconds: 1 },
    '200',
  ],
];

describe('a delete', () => {
  test.each(options)('%s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });

  it('returns the deleted objects', async () => {
    await talk.body(`POST ${CONFIG_MAPS}`, { metadata: { name: 'gone' } });
    expect(await talk.body(`DELETE ${CONFIG_MAPS}/gone`)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps', uid: expect.any(String) },
    });
  });
});

/** The deletion fields of metadata. */
interface Deletion {
  readonly kind: string;
  readonly metadata: {
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly finalizers?: readonly string[];
  };
}

async function deletion(request: string, body?: unknown): Promise<readonly unknown[]> {
  const { kind, metadata } = (await talk.body(request, body)) as unknown as Deletion;
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  return [kind, deletionTimestamp !== undefined, deletionGracePeriodSeconds, ...finalizers];
}

it('finalizers hold an object until the last one goes', async () => {
  const path = `${CONFIG_MAPS}/held`;
  await talk.body(`POST ${CONFIG_MAPS}`, { metadata: { name: 'held', finalizers: ['a/b'] } });
  expect([
    await deletion(`DELETE ${path}`, { propagationPolicy: 'Foreground', dryRun: ['All'] }),
    await deletion(`DELETE ${path}`, { propagationPolicy: 'Orphan' }),
    await talk.summary(`DELETE ${path}`, { orphanDependents: false }),
    await talk.summary(`POST ${CONFIG_MAPS}`, { metadata: { name: 'held' } }),
    await talk.summary(`MERGE ${path}`, { metadata: { finalizers: ['a/b', 'c/d'] } }),
    await deletion(`MERGE ${path}`, { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } }),
    await talk.summary(`MERGE ${path}`, { metadata: { deletionGracePeriodSeconds: 5 } }),
    await deletion(`MERGE ${path}?dryRun=All`, { metadata: { finalizers: null } }),
    await deletion(`PUT ${path}`, { metadata: { name: 'held' } }),
    await talk.summary(`GET ${path}`),
  ]).toEqual([
    ['ConfigMap', true, 0, 'a/b', 'foregroundDeletion'],
    ['ConfigMap', true, 0, 'a/b', 'orphan'],
    '202',
    '409 AlreadyExists: object is being deleted: configmaps "held" already exists',
    '422 Invalid: ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    ['ConfigMap', true, 0, 'a/b'],
    '422 Invalid: ConfigMap "held" is invalid: metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    ['ConfigMap', true, 0],
    ['ConfigMap', true, 0],
    '404 NotFound: configmaps "held" not found',
  ]);
});

describe('pods', () => {
  const pod = (name: string, spec: object = {}, metadata: object = {}) =>
    talk.body(`POST ${PODS}`, {
      metadata: { name, ...metadata },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    });

  it('on a node are given their time, which can only become shorter', async () => {
    await pod('running', { nodeName: 'n' });
    const path = `DELETE ${PODS}/running`;
    const periods: unknown[] = [];
    for (const gracePeriodSeconds of [undefined, 50, 10, -5, 0]) {
      periods.push((await deletion(path, { gracePeriodSeconds }))[2]);
    }
    expect([periods, await talk.summary(`GET ${PODS}/running`)]).toEqual([
      [30, 30, 10, 1, 0],
      '404 NotFound: pods "running" not found',
    ]);
  });

  it.each([
    ['of their own', { nodeName: 'n', terminationGracePeriodSeconds: 7 }, {}, 7],
    ['of zero', { nodeName: 'n', terminationGracePeriodSeconds: 0 }, {}, 0],
    ['nowhere', {}, {}, 0],
    ['finished', { nodeName: 'n' }, { phase: 'Succeeded' }, 0],
  ])('have a time %s', async (name, spec, status, seconds) => {
    const path = `${PODS}/${name.replaceAll(' ', '-')}`;
    await pod(name.replaceAll(' ', '-'), spec);
    await talk.body(`MERGE ${path}/status`, { status });
    expect(await deletion(`DELETE ${path}`)).toEqual(['Pod', true, seconds]);
    expect(await talk.summary(`GET ${path}`)).toMatch(seconds === 0 ? /^404/ : /^200/);
  });

  it('with finalizers stay after their time', async () => {
    await pod('kept', { nodeName: 'n' }, { finalizers: ['a/b'] });
    expect([
      await deletion(`DELETE ${PODS}/kept?gracePeriodSeconds=0`),
      await deletion(`MERGE ${PODS}/kept`, { metadata: { finalizers: null } }),
      await talk.summary(`GET ${PODS}/kept`),
    ]).toEqual([['Pod', true, 0, 'a/b'], ['Pod', true, 0], '404 NotFound: pods "kept" not found']);
  });
});

describe('a deletecollection', () => {
  const SOME = `${CONFIG_MAPS}?labelSelector=some`;
  const names = ({ items }: { readonly [member: string]: unknown }) =>
    (items as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  const refused: readonly Line[] = [
    [
      'a selector',
      `DELETE ${CONFIG_MAPS}?labelSelector=%3D%3D`,
      undefined,
      "400 BadRequest: found '==', expected: !, identifier, or 'end of string'",
    ],
    [
      'a limit',
      `DELETE ${CONFIG_MAPS}?limit=x`,
      undefined,
      '400 BadRequest: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      'initial events',
      `DELETE ${CONFIG_MAPS}?sendInitialEvents=true`,
      undefined,
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
    [
      'a body',
      `DELETE ${CONFIG_MAPS}`,
      '{',
      "400 BadRequest: couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    [
      'all namespaces',
      'DELETE /api/v1/configmaps',
      undefined,
      '405 MethodNotAllowed: the server does not allow this method on the requested resource',
    ],
  ];
  test.each(refused)('refuses %s', async (_about, request, body, summary) => {
    expect(await talk.summary(request, body)).toBe(summary);
  });

  it('deletes the selected objects, and returns their last state', async () => {
    for (const name of ['x', 'y', 'z']) {
      const finalizers = name === 'z' ? ['a/b'] : [];
      await talk.body(`POST ${CONFIG_MAPS}`, { metadata: { name, labels: { some: 'yes' }, finalizers } });
    }
    expect([
      names(await talk.body(`DELETE ${SOME}&dryRun=All`)),
      names(await talk.body(`DELETE ${SOME}&limit=1&dryRun=All`)),
      await talk.summary(`DELETE ${SOME}`, { preconditions: { uid: 'no' } }),
      names(await talk.body(`DELETE ${SOME}`)),
      names(await talk.body(`GET ${SOME}`)),
    ]).toEqual([
      ['x', 'y', 'z'],
      ['x'],
      expect.stringMatching(
        /^409 Conflict: Operation cannot be fulfilled on ConfigMap "x": the UID in the precondition/,
      ),
      ['x', 'y', 'z'],
      ['z'],
    ]);
  });
});
