import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestCertificate, type TestCertificate } from '@apiserver/apimachinery/testing';
import { startTestWebhook } from '@apiserver/webhook/testing';
import {
  type Attacker,
  CONFIG_MAPS,
  type HostileCase,
  type HostileResponse,
  MIB,
  sending,
} from '../../hostile-case.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const OPERATIONS = 100_000;
const SLOW_WEBHOOKS = 100;
/** Of a text in a review; the server reads 8 MiB. */
const LONG = 7 * MIB;
/** Milliseconds in which a configuration takes effect. */
const DEADLINE = 10_000;

interface ServingCertificate extends Pick<TestCertificate, 'certificate' | 'key'> {
  /** PEM of what the server trusts. Default: the certificate itself. */
  readonly trusted?: string;
}

const list = (operation: (i: number) => object, length = OPERATIONS) =>
  JSON.stringify(Array.from({ length }, (_, i) => operation(i)));

/**
 * Creates an object that a webhook reviews with `answer`. The webhook runs in this process, whose time does not count.
 */
async function createReviewed(
  attacker: Attacker,
  name: string,
  answer: object,
  certificate: ServingCertificate = makeTestCertificate({ hosts: ['127.0.0.1'] }),
): Promise<HostileResponse> {
  await using webhook = await startTestWebhook(certificate, ({ body }) => {
    const { uid, dryRun } = JSON.parse(body).request;
    const response = { uid, allowed: true, ...(dryRun ? {} : answer) };
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  });
  const hook = {
    name: `${name}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${webhook.port}/`,
      caBundle: Buffer.from(certificate.trusted ?? certificate.certificate).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { hook: name } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 30,
  };
  const configuration = JSON.stringify({ metadata: { name }, webhooks: [hook] });
  await attacker.send(sending('POST', CONFIGURATIONS, 'json', configuration));
  try {
    const object = JSON.stringify({ metadata: { name, labels: { hook: name } }, data: { k: 'v' } });
    let isAsked = false;
    for (const end = Date.now() + DEADLINE; !isAsked && Date.now() < end; await sleep(10)) {
      const { status } = await attacker.send(sending('POST', `${CONFIG_MAPS}?dryRun=All`, 'json', object));
      isAsked = webhook.requests.length > 0 || status === 500;
    }
    return await attacker.send(sending('POST', CONFIG_MAPS, 'json', object));
  } finally {
    await attacker.send({ method: 'DELETE', path: `${CONFIGURATIONS}/${name}` });
  }
}

/** A certificate of an authority that is not shown, and 63 authorities of its name with dear keys. */
function withNamesakes(): ServingCertificate {
  const authorityOf = () => makeTestCertificate({ commonName: 'authority', authority: true });
  const issuer = authorityOf();
  const leaf = makeTestCertificate({ issuer: authorityOf(), hosts: ['127.0.0.1'] });
  const namesakes = Array.from({ length: 63 }, () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
    return makeTestCertificate({ commonName: 'authority', authority: true, issuer, publicKey }).certificate;
  });
  return { certificate: [leaf.certificate, ...namesakes].join(''), key: leaf.key, trusted: issuer.certificate };
}

/** Creates an object that waits for many webhooks at a time, each of which takes a second. */
async function createWaiting(attacker: Attacker, name: string): Promise<HostileResponse> {
  const certificate = makeTestCertificate({ hosts: ['127.0.0.1'] });
  await using webhook = await startTestWebhook(certificate, async ({ body }) => {
    const { uid, dryRun } = JSON.parse(body).request;
    if (!dryRun) await sleep(1_000);
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
  });
  const webhooks = Array.from({ length: SLOW_WEBHOOKS }, (_, i) => ({
    name: `n${i}.${name}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${webhook.port}/${i}`,
      caBundle: Buffer.from(certificate.certificate).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { hook: name } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 30,
  }));
  const path = CONFIGURATIONS.replace('mutating', 'validating');
  await attacker.send(sending('POST', path, 'json', JSON.stringify({ metadata: { name }, webhooks })));
  try {
    const object = JSON.stringify({ metadata: { name, labels: { hook: name } } });
    for (const end = Date.now() + DEADLINE; webhook.requests.length === 0 && Date.now() < end; await sleep(10)) {
      await attacker.send(sending('POST', `${CONFIG_MAPS}?dryRun=All`, 'json', object));
    }
    return await attacker.send(sending('POST', CONFIG_MAPS, 'json', object));
  } finally {
    await attacker.send({ method: 'DELETE', path: `${path}/${name}` });
  }
}

function answering(
  name: string,
  answer: () => object,
  rest: Pick<HostileCase, 'status' | 'maxResponse' | 'known'>,
): HostileCase {
  return {
    name,
    request: (name) => sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })),
    attack: (attacker, name) => createReviewed(attacker, name, answer()),
    ...rest,
  };
}

function patching(name: string, patch: () => string, rest: Pick<HostileCase, 'status' | 'maxResponse'>): HostileCase {
  const answer = () => ({ patchType: 'JSONPatch', patch: Buffer.from(patch()).toString('base64') });
  return answering(name, answer, rest);
}

const many = (length: number) => Array.from({ length }, (_, index) => index);

/** A list in a list, and so on. */
function deep(depth: number): object {
  let value: object[] = [];
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const stored = 3 * MIB;

/** Admission webhooks that answer with very much, or slowly. */
export const WEBHOOK_CASES: readonly HostileCase[] = [
  {
    ...answering('a webhook that shows 63 authorities of one name', () => ({}), { status: 500 }),
    attack: (attacker, name) => createReviewed(attacker, name, {}, withNamesakes()),
  },
  patching(
    'a patch of 100,000 operations on few keys',
    () => list((i) => ({ op: 'add', path: `/data/k${i % 50}`, value: 'v' })),
    { status: 201 },
  ),
  patching(
    'a patch that inserts 60,000 finalizers at the head of a list',
    () =>
      list((i) => {
        const isFirst = i === 0;
        return { op: 'add', path: `/metadata/finalizers${isFirst ? '' : '/0'}`, value: isFirst ? [] : `a/${i}` };
      }, 60_000),
    { status: 201, maxResponse: stored },
  ),
  patching(
    'a patch that copies the object into itself',
    () => list((i) => ({ op: 'copy', from: '/data', path: `/data/c${i}` }), 1_000),
    { status: 500 },
  ),
  {
    name: 'a write that waits for 100 slow webhooks',
    request: (name) => sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })),
    attack: createWaiting,
    status: 201,
  },
  answering('a refusal of 7 MiB', () => ({ allowed: false, status: { code: 403, message: 'x'.repeat(LONG) } }), {
    status: 403,
    maxResponse: 8 * MIB,
  }),
  answering('a refusal of quotes', () => ({ allowed: false, status: { code: 403, message: '"\n'.repeat(LONG / 4) } }), {
    status: 403,
    maxResponse: 16 * MIB,
  }),
  answering(
    'a refusal of causes',
    () => ({
      allowed: false,
      status: { code: 422, message: 'no', details: { causes: many(40_000).map((i) => ({ field: `f${i}` })) } },
    }),
    { status: 422, maxResponse: 16 * MIB },
  ),
  answering('700,000 warnings', () => ({ warnings: Array(700_000).fill('warning') }), { status: 201 }),
  answering('a warning of 7 MiB', () => ({ warnings: ['é'.repeat(LONG / 2)] }), { status: 201 }),
  answering(
    '40,000 audit annotations',
    () => ({ auditAnnotations: Object.fromEntries(many(40_000).map((i) => [`k${i}`, 'v'])) }),
    { status: 201 },
  ),
  answering(
    '300,000 audit annotations',
    () => ({ auditAnnotations: Object.fromEntries(many(300_000).map((i) => [`k${i}`, 'v'])) }),
    { status: 500 },
  ),
  answering('a review of 2,000,000 unknown values', () => ({ x: Array(2_000_000).fill(0) }), { status: 201 }),
  answering('a review of lists in lists', () => ({ x: deep(900_000) }), { status: 500 }),
];
