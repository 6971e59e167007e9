import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startTestWebhook } from '@apiserver/webhook/testing';
import { type Attacker, CONFIG_MAPS, type HostileCase, type HostileResponse, MIB, sending } from '../hostile-case.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
/** Milliseconds in which a configuration takes effect. */
const DEADLINE = 10_000;
/** Of a review; the server reads 8 MiB. */
const LONG = 7 * MIB;

/** Creates an object that a webhook reviews with `answer`. The webhook runs in this process, whose time does not count. */
async function createReviewed(attacker: Attacker, name: string, answer: object): Promise<HostileResponse> {
  const certificate = makeTestCertificate({ hosts: ['127.0.0.1'] });
  await using webhook = await startTestWebhook(certificate, ({ body }) => {
    const { uid, dryRun } = JSON.parse(body).request;
    const response = { uid, allowed: true, ...(dryRun ? {} : answer) };
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
  await attacker.send(
    sending('POST', CONFIGURATIONS, 'json', JSON.stringify({ metadata: { name }, webhooks: [hook] })),
  );
  try {
    const object = JSON.stringify({ metadata: { name, labels: { hook: name } } });
    for (const end = Date.now() + DEADLINE; webhook.requests.length === 0 && Date.now() < end; await sleep(10)) {
      await attacker.send(sending('POST', `${CONFIG_MAPS}?dryRun=All`, 'json', object));
    }
    return await attacker.send(sending('POST', CONFIG_MAPS, 'json', object));
  } finally {
    await attacker.send({ method: 'DELETE', path: `${CONFIGURATIONS}/${name}` });
  }
}

const many = (length: number) => Array.from({ length }, (_, index) => index);

function answering(name: string, answer: () => object, rest: Pick<HostileCase, 'status' | 'maxResponse'>): HostileCase {
  return {
    name,
    request: (name) => sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })),
    attack: (attacker, name) => createReviewed(attacker, name, answer()),
    ...rest,
  };
}

/** Admission webhooks that answer with very much. */
export const ANSWER_CASES: readonly HostileCase[] = [
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
      status: { code: 422, message: 'no', details: { causes: many(90_000).map((i) => ({ field: `f${i}` })) } },
    }),
    { status: 422, maxResponse: 16 * MIB },
  ),
  answering('700,000 warnings', () => ({ warnings: Array(700_000).fill('warning') }), { status: 201 }),
  answering('a warning of 7 MiB', () => ({ warnings: ['é'.repeat(LONG / 2)] }), { status: 201 }),
  answering(
    '300,000 audit annotations',
    () => ({ auditAnnotations: Object.fromEntries(many(300_000).map((i) => [`k${i}`, 'v'])) }),
    { status: 201 },
  ),
  answering('a review of 2,000,000 unknown values', () => ({ x: Array(2_000_000).fill(0) }), { status: 201 }),
  answering('a review of lists in lists', () => ({ x: deep(900_000) }), { status: 500 }),
];

/** A list in a list, and so on. */
function deep(depth: number): object {
  let value: object[] = [];
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}
