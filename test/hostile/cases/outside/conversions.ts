import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook } from '@apiserver/webhook/testing';
import { DEFINITIONS } from '../../../harness/custom-resource-definition.ts';
import { type Attacker, type HostileCase, type HostileResponse, KIB, MIB, sending } from '../../hostile-case.ts';

const OBJECTS = 30;
/** Of what the webhook adds to each object. */
const ADDED = 3 * MIB;
/** Milliseconds in which the versions are served. */
const DEADLINE = 10_000;

interface Review {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly { readonly spec: object }[];
}

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

/** Lists small objects in a version to which a webhook makes all of them large. */
async function listConverted(attacker: Attacker, name: string): Promise<HostileResponse> {
  const group = `${name}.example.com`;
  const certificate = makeTestCertificate({ hosts: ['127.0.0.1'] });
  const large = 'x'.repeat(ADDED);
  await using webhook = await startTestWebhook(certificate, ({ body }) => {
    const { uid, desiredAPIVersion, objects }: Review = JSON.parse(body).request;
    const convertedObjects = objects.map((one) => ({ ...one, apiVersion: desiredAPIVersion, spec: { large } }));
    const response = { uid, result: { status: 'Success' }, convertedObjects };
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
  });
  const caBundle = Buffer.from(certificate.certificate).toString('base64');
  const path = (version: string) => `/apis/${group}/${version}/things`;
  await attacker.send(sending('POST', DEFINITIONS, 'json', definition(group, webhook.port, caBundle)));
  try {
    const isServed = async () => (await attacker.send({ method: 'GET', path: path('v1') })).status === 200;
    for (const end = Date.now() + DEADLINE; !(await isServed()) && Date.now() < end; await sleep(20));
    for (let i = 0; i < OBJECTS; i++) {
      const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: `thing-${i}` }, spec: {} };
      await attacker.send(sending('POST', path('v1'), 'json', JSON.stringify(thing)));
    }
    // A page: while the cache is filled, other lists get a 429.
    return await attacker.send({ method: 'GET', path: `${path('v2')}?limit=${OBJECTS}` });
  } finally {
    await attacker.send({ method: 'DELETE', path: `${DEFINITIONS}/things.${group}` });
  }
}

/** Conversion webhooks that answer with very much. */
export const CONVERSION_CASES: readonly HostileCase[] = [
  {
    name: `${OBJECTS} objects that become ${ADDED / MIB} MiB each`,
    request: () => ({ method: 'GET', path: DEFINITIONS }),
    attack: listConverted,
    // The response of a call is too large.
    status: 500,
    maxResponse: 64 * KIB,
  },
];
