import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, it } from 'vitest';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Random } from '../watch/random.ts';
import { ANSWERS, startAnsweringWebhook, type WebhookAnswer } from './backends/answering-webhook.ts';
import { compareCases } from './compare-cases.ts';
import { describeLive, type LiveServer } from './live-servers.ts';
import { mutated } from './mutated-text.ts';
import { mutatedValue } from './mutated-value.ts';

const GROUP = 'reviews.example.com';
const WIDGETS = `/apis/${GROUP}/v1/namespaces/n/widgets`;
const SCHEMA = {
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    },
  },
};
const webhook = await startAnsweringWebhook();
afterAll(() => webhook[Symbol.asyncDispose]());

/** The paths of the webhooks, in the order in which they are asked. */
const HOOKS = ['/mutates', '/may-mutate', '/validates', '/may-validate', '/has-conditions'] as const;
const VALIDATING = ['/validates', '/may-validate', '/has-conditions'] as const;

function hook(path: (typeof HOOKS)[number], fields: object) {
  return {
    name: `${path.slice(1)}.example.com`,
    clientConfig: { url: `${webhook.url}${path}`, caBundle: webhook.caBundle },
    rules: [{ apiGroups: [GROUP], apiVersions: ['*'], operations: ['*'], resources: ['*'], scope: '*' }],
    sideEffects: 'None',
    timeoutSeconds: 10,
    matchPolicy: 'Equivalent',
    failurePolicy: 'Fail',
    admissionReviewVersions: ['v1'],
    namespaceSelector: {},
    objectSelector: {},
    ...fields,
  };
}

const configurations = {
  mutating: {
    metadata: { name: 'mutating' },
    webhooks: [
      hook('/mutates', { reinvocationPolicy: 'IfNeeded' }),
      hook('/may-mutate', {
        failurePolicy: 'Ignore',
        admissionReviewVersions: ['v1beta1'],
        reinvocationPolicy: 'Never',
      }),
    ],
  },
  validating: {
    metadata: { name: 'validating' },
    webhooks: [
      hook('/validates', {}),
      hook('/may-validate', { failurePolicy: 'Ignore', admissionReviewVersions: ['v9', 'v1beta1'] }),
      hook('/has-conditions', {
        matchConditions: [
          { name: 'size', expression: 'object.spec.size > 1' },
          { name: 'tag', expression: "object.spec.tags[0] != 'skip'" },
        ],
        objectSelector: { matchExpressions: [{ key: 'unseen', operator: 'DoesNotExist' }] },
      }),
    ],
  },
};

const TEXTS = ['', 'no', 'é☃"\\\n', '<&>', 'x'.repeat(300)] as const;
const REASONS = ['', 'Forbidden', 'NotFound', 'Invalid', 'Odd reason', 'Conflict'] as const;
const CODES = [0, 200, 302, 399, 400, 403, 404, 422, 429, 500, 503, 999, -1] as const;
const PATHS = [
  '/spec/size',
  '/spec/tags/-',
  '/spec/tags/0',
  '/metadata/labels',
  '/metadata/name',
  '/kind',
  '/none/a',
  '',
  '/spec',
] as const;
const VALUES = [1, 'a', null, {}, ['a'], { size: 2 }, 1.5, { a: 'b' }] as const;
const OPERATIONS = ['add', 'replace', 'remove', 'test', 'copy', 'move', 'odd'] as const;

function randomPatch(random: Random): unknown[] {
  return Array.from({ length: random.below(3) }, () => ({
    op: random.of(OPERATIONS),
    path: random.of(PATHS),
    ...(random.chance(0.8) && { value: random.of(VALUES) }),
    ...(random.chance(0.3) && { from: random.of(PATHS) }),
  }));
}

function randomStatus(random: Random): object {
  return {
    ...(random.chance(0.7) && { code: random.of(CODES) }),
    ...(random.chance(0.7) && { message: random.of(TEXTS) }),
    ...(random.chance(0.5) && { reason: random.of(REASONS) }),
    ...(random.chance(0.3) && { status: random.of(['Success', 'Failure', '', 'Odd']) }),
    ...(random.chance(0.2) && {
      details: { name: 'a', kind: 'b', causes: [{ reason: 'r', message: 'm', field: 'f' }] },
    }),
  };
}

function randomReview(random: Random, version: string, mutates: boolean): object {
  const patch = JSON.stringify(randomPatch(random));
  const text = random.chance(0.85) ? patch : mutated(random, patch);
  return {
    apiVersion: `admission.k8s.io/${version}`,
    kind: 'AdmissionReview',
    response: {
      uid: 'UID',
      allowed: random.chance(0.6),
      ...(random.chance(0.5) && { status: randomStatus(random) }),
      ...(random.chance(0.3) && { warnings: [random.of(TEXTS), random.of(TEXTS)] }),
      ...(random.chance(0.3) && { auditAnnotations: { a: random.of(TEXTS) } }),
      ...(random.chance(mutates ? 0.7 : 0.1) && { patch: Buffer.from(text).toString('base64') }),
      ...(random.chance(mutates ? 0.7 : 0.1) && {
        patchType: random.chance(0.9) ? 'JSONPatch' : random.of(['', 'Odd']),
      }),
    },
  };
}

function randomAnswer(random: Random, path: (typeof HOOKS)[number]): WebhookAnswer {
  const review = randomReview(
    random,
    path.startsWith('/may') ? 'v1beta1' : 'v1',
    path.endsWith('mutate') || path.endsWith('mutates'),
  );
  const value = random.chance(0.3) ? mutatedValue(random, review) : review;
  const kind = random.next();
  const json = JSON.stringify(value);
  const status = { apiVersion: 'v1', kind: 'Status', ...randomStatus(random) };
  const body =
    kind < 0.8 ? json : kind < 0.85 ? JSON.stringify(status) : kind < 0.9 ? mutated(random, json) : random.of(TEXTS);
  return {
    status: random.chance(0.85) ? 200 : random.of([201, 204, 400, 404, 409, 429, 500, 503]),
    type: random.chance(0.9) ? 'application/json' : random.of(['text/plain', 'application/yaml', 'odd']),
    body,
  };
}

interface ReviewedCase {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Objects are created, and one that exists is changed. */
type Write = readonly [method: string, path: string, type: string];
const WRITES: readonly [Write, ...Write[]] = [
  ['POST', '', 'application/json'],
  ['PUT', '/kept', 'application/json'],
  ['PATCH', '/kept', 'application/merge-patch+json'],
  ['PATCH', '/kept', 'application/apply-patch+yaml'],
  ['PATCH', '/new', 'application/apply-patch+yaml'],
];

function randomCase(random: Random): ReviewedCase {
  // Validating webhooks are asked at the same time, so only one of them responds as it likes.
  const validates = random.of(VALIDATING);
  const asked = HOOKS.filter((path) => random.chance(0.4) && (path.includes('mutate') || path === validates));
  const answers = Object.fromEntries(asked.map((path) => [path, randomAnswer(random, path)]));
  const [method, path, type] = random.of(WRITES);
  const object = {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    metadata: {
      name: path === '' ? 'a' : path.slice(1),
      ...(random.chance(0.1) && { labels: { unseen: '' } }),
      annotations: { [ANSWERS]: JSON.stringify(answers) },
    },
    ...(random.chance(0.95) && {
      spec: {
        ...(random.chance(0.9) && { size: random.below(4) }),
        ...(random.chance(0.9) && { tags: random.of([['x', 'y'], ['skip'], []]) }),
      },
    }),
  };
  return { method, path, type, body: JSON.stringify(object) };
}

/** A character of the uid. */
const OF_UID = /invalid character '[\da-f]'/g;
/** Of objects, also as texts print them in JSON and as Go's maps. */
const VERSION = /(resourceVersion\\*"?:\\*"?)\d+/g;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
/** A program of modules has names of its own for schemes. */
const SCHEME = /in scheme \\"[^"]*\\"/g;
const TIME = /20\d\d-[\d:T-]+Z/g;

async function answer(server: LiveServer, { method, path, type, body }: ReviewedCase): Promise<unknown> {
  const headers = { authorization: 'Bearer admin', 'content-type': type };
  const query = `dryRun=All${method === 'PATCH' ? '&fieldManager=m' : ''}`;
  const sent = server.send({ method, path: `${WIDGETS}${path}?${query}`, headers, body });
  // Go panics at a code with more than three digits.
  const response = await sent.catch(() => undefined);
  if (response === undefined) return { status: 'none' };
  const text = response.body
    .toString()
    .replaceAll(UUID, 'UUID')
    .replaceAll(TIME, 'TIME')
    .replaceAll(SCHEME, 'in scheme')
    .replaceAll(VERSION, '$1VERSION')
    .replaceAll(OF_UID, 'invalid');
  const warning = response.headers.warning?.replaceAll(UUID, 'UUID');
  return { status: response.status, warning, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Defines the kind, and returns when both servers ask the webhooks. */
async function prepare(server: LiveServer): Promise<void> {
  await server.make('POST', DEFINITIONS, customResourceDefinition(GROUP, 'Widget', SCHEMA));
  const kept = {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    metadata: { name: 'kept' },
    spec: { size: 1, tags: ['x'] },
  };
  const isMade = async () => {
    const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' };
    const { status } = await server.send({ method: 'POST', path: WIDGETS, headers, body: JSON.stringify(kept) });
    return status === 201;
  };
  while (!(await isMade())) await new Promise((resolve) => setTimeout(resolve, 100));
  const answers = Object.fromEntries(
    ['/mutates', '/validates'].map((path) => [path, { status: 500, type: 'text/plain', body: 'ready' }]),
  );
  for (const path of Object.keys(answers)) {
    const metadata = { name: 'a', annotations: { [ANSWERS]: JSON.stringify({ [path]: answers[path] }) } };
    const body = JSON.stringify({ ...kept, metadata });
    const one = { method: 'POST', path: '', type: 'application/json', body };
    while (((await answer(server, one)) as { status: number }).status !== 500) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Only upstream's server reads the configurations from a file. */
function flagsIn(folder: string): readonly string[] {
  if (!folder.endsWith('their-files')) return [];
  const path = join(folder, 'webhooks.json');
  writeFileSync(path, JSON.stringify(configurations));
  return [`--admission-webhooks=${path}`];
}

describeLive('admission webhooks', { flagsIn }, (servers) => {
  it('have the effects that they have on upstream’s server', async () => {
    const { theirs, ours } = servers();
    await ours.make('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    for (const [plugin, kind] of [
      ['mutating', 'MutatingWebhookConfiguration'],
      ['validating', 'ValidatingWebhookConfiguration'],
    ] as const) {
      const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind, ...configurations[plugin] };
      await ours.make('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`, object);
    }
    for (const server of [theirs, ours]) await prepare(server);
    await compareCases<ReviewedCase, unknown>(
      { ask: (_, one) => answer(theirs, one as ReviewedCase) as never },
      {
        area: 'admission webhooks',
        randomCase,
        atOnce: 20,
        mostAsked: 2,
        ours: (one) => answer(ours, one),
        difference: (their, our) =>
          (their as { status: unknown }).status === 'none' || isDeepStrictEqual(their, our)
            ? undefined
            : { theirs: their, ours: our },
      },
    );
  });
});
