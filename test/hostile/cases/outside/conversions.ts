import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook } from '@apiserver/webhook/testing';
import { DEFINITIONS } from '../../../harness/custom-resource-definition.ts';
import { type Attacker, type HostileCase, type HostileResponse, MIB, sending } from '../../hostile-case.ts';

const OBJECTS = 30;
/** Of what the webhook adds to each object. */
const ADDED = 3 * MIB;
/** Milliseconds in which the versions are served. */
const DEADLINE = 10_000;

interface Review {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly { readonly metadata: object; readonly spec: object }[];
}

/** The text of the response to a review. */
type Answer = (review: Review) => string;

/** A definition with two versions, between which a webhook converts. */
function definition(group: string, port: number, caBundle: string): string {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle } };
  return JSON.stringify({
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      conversion: { strategy: 'Webhook', webhook },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    },
  });
}

/** A response in which each object gets further members; SPEC stands for a text of JSON. */
const converting =
  (changes: object, spec = '{}'): Answer =>
  ({ uid, desiredAPIVersion, objects }) => {
    const convertedObjects = objects.map((one) => {
      const changed = { ...one, apiVersion: desiredAPIVersion, spec: 'SPEC', ...changes };
      return { ...changed, metadata: { ...one.metadata, ...(changed.metadata as object) } };
    });
    const response = { uid, result: { status: 'Success' }, convertedObjects };
    const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
    return JSON.stringify(review).replaceAll('"SPEC"', spec);
  };

interface Attack {
  readonly answer: Answer;
  readonly code?: number;
  readonly objects?: number;
}

/** Lists small objects in a version to which a webhook converts them. */
async function listConverted(
  attacker: Attacker,
  name: string,
  { answer, code = 200, objects = 1 }: Attack,
): Promise<HostileResponse> {
  const group = `${name}.example.com`;
  const certificate = makeTestCertificate({ hosts: ['127.0.0.1'] });
  await using webhook = await startTestWebhook(certificate, ({ body }, response) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(answer(JSON.parse(body).request));
    return undefined;
  });
  const caBundle = Buffer.from(certificate.certificate).toString('base64');
  const path = (version: string) => `/apis/${group}/${version}/things`;
  await attacker.send(sending('POST', DEFINITIONS, 'json', definition(group, webhook.port, caBundle)));
  try {
    const isServed = async () => (await attacker.send({ method: 'GET', path: path('v1') })).status === 200;
    for (const end = Date.now() + DEADLINE; !(await isServed()) && Date.now() < end; await sleep(20));
    for (let i = 0; i < objects; i++) {
      const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: `thing-${i}` }, spec: {} };
      await attacker.send(sending('POST', path('v1'), 'json', JSON.stringify(thing)));
    }
    // A page: while the cache is filled, other lists get a 429.
    return await attacker.send({ method: 'GET', path: `${path('v2')}?limit=${objects}` });
  } finally {
    await attacker.send({ method: 'DELETE', path: `${DEFINITIONS}/things.${group}` });
  }
}

const many = (length: number, item: (index: number) => string) => Array.from({ length }, (_, i) => item(i)).join();
const members = (count: number) => `{${many(count, (i) => `"k${i}":1`)}}`;
const labels = (count: number, value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

/** The list fails if the response of a call is too large, or wrong. */
const attacking = (name: string, attack: Attack, status = 500): HostileCase => ({
  name,
  request: () => ({ method: 'GET', path: DEFINITIONS }),
  attack: (attacker, server) => listConverted(attacker, server, attack),
  status,
  maxResponse: status === 200 ? 16 * MIB : MIB,
});

/** Conversion webhooks that answer with very much. */
export const CONVERSION_CASES: readonly HostileCase[] = [
  attacking(`${OBJECTS} objects that become ${ADDED / MIB} MiB each`, {
    answer: converting({ spec: { large: 'x'.repeat(ADDED) } }),
    objects: OBJECTS,
  }),
  attacking('an object that gets 600,000 members', { answer: converting({}, members(600_000)) }),
  attacking('an object that gets 250,000 empty maps', { answer: converting({}, `[${'{},'.repeat(250_000)}{}]`) }, 200),
  attacking('an object that gets 2,500,000 empty maps', { answer: converting({}, `[${'{},'.repeat(2_500_000)}{}]`) }),
  attacking('an object that gets 100,000 wrong labels', {
    answer: converting({ metadata: { labels: labels(100_000, 'v /') } }),
  }),
  attacking('an object that gets 90,000 labels', { answer: converting({ metadata: { labels: labels(90_000) } }) }, 200),
  attacking(
    'an object that gets 35,000 annotations',
    { answer: converting({ metadata: { annotations: labels(35_000) } }) },
    200,
  ),
  attacking('an object that gets 100,000 wrong annotations', {
    answer: converting({ metadata: { annotations: labels(100_000, 'v /') } }),
  }),
  attacking('an object without a kind', { answer: converting({ kind: '', x: '"\n'.repeat(1.5 * MIB) }) }),
  attacking('a refusal of 600,000 members', {
    answer: () => `{"kind":"Status","apiVersion":"v1","x":${members(600_000)}}`,
    code: 418,
  }),
];
