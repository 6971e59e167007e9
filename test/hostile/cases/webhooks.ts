import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook } from '@apiserver/webhook/testing';
import { type Attacker, CONFIG_MAPS, type HostileCase, type HostileResponse, MIB, sending } from '../hostile-case.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const OPERATIONS = 100_000;
const SLOW_WEBHOOKS = 100;
/** Milliseconds in which a configuration takes effect. */
const DEADLINE = 10_000;

const list = (operation: (i: number) => object, length = OPERATIONS) =>
  JSON.stringify(Array.from({ length }, (_, i) => operation(i)));

/** Creates an object that a webhook patches. The webhook runs in this process, whose time does not count. */
async function createPatched(attacker: Attacker, name: string, patch: string): Promise<HostileResponse> {
  const certificate = makeTestCertificate({ hosts: ['127.0.0.1'] });
  const encoded = Buffer.from(patch).toString('base64');
  await using webhook = await startTestWebhook(certificate, ({ body }) => {
    const { uid, dryRun } = JSON.parse(body).request;
    const patched = dryRun ? {} : { patchType: 'JSONPatch', patch: encoded };
    const response = { uid, allowed: true, ...patched };
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  });
  const hook = {
    name: `${name}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${webhook.port}/`,
      caBundle: Buffer.from(certificate.certificate).toString('base64'),
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
    for (const end = Date.now() + DEADLINE; webhook.requests.length === 0 && Date.now() < end; await sleep(10)) {
      await attacker.send(sending('POST', `${CONFIG_MAPS}?dryRun=All`, 'json', object));
    }
    return await attacker.send(sending('POST', CONFIG_MAPS, 'json', object));
  } finally {
    await attacker.send({ method: 'DELETE', path: `${CONFIGURATIONS}/${name}` });
  }
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

function patching(
  name: string,
  patch: () => string,
  rest: Pick<HostileCase, 'status' | 'maxResponse' | 'known'>,
): HostileCase {
  return {
    name,
    request: (name) => sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })),
    attack: (attacker, name) => createPatched(attacker, name, patch()),
    ...rest,
  };
}

const stored = 3 * MIB;

/** Admission webhooks whose patches have very many operations, or grow. */
export const WEBHOOK_CASES: readonly HostileCase[] = [
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
];
