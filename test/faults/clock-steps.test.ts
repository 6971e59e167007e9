import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { startTestWebhook, type TestWebhook } from '@apiserver/webhook/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const HOUR_MS = 3_600_000;
/** The server has seen the new time by then. */
const NOTICED_MS = 200;

const folder = temporaryDirectory('clock-steps');
const clockFile = join(folder.path, 'clock');
const certificate = makeTestCertificate({ hosts: ['127.0.0.1'] });

let server: ApiServer;
let client: AdminClient;
let webhook: TestWebhook;
let ahead = 0;
/** The first webhook awaits it before it responds. */
let amid: () => Promise<void> = async () => {};

beforeAll(async () => {
  writeFileSync(clockFile, '0');
  webhook = await startTestWebhook(certificate, async ({ url, body }) => {
    const { uid, dryRun } = JSON.parse(body).request;
    if (url.startsWith('/a') && dryRun !== true) await amid();
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
  });
  server = await startApiServer({
    dataDirectory: join(folder.path, 'data'),
    nodeOptions: [`--import=${fileURLToPath(new URL('./settable-clock.mjs', import.meta.url))}`],
    env: { CLOCK_FILE: clockFile },
  });
  client = new AdminClient(server.kubeconfig);
  for (const name of ['a', 'b']) await client.json('POST', CONFIGURATIONS, configuration(name));
  const probe = async () => JSON.stringify(await reviewed('probe', '?dryRun=All')) === '[201,["/a","/b"]]';
  while (!(await probe())) await sleep(20);
}, 90_000);
afterAll(async () => {
  client[Symbol.dispose]();
  await server.stop();
  await server[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function configuration(name: string): object {
  const hook = {
    name: `${name}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${webhook.port}/${name}`,
      caBundle: Buffer.from(certificate.certificate).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  return { metadata: { name }, webhooks: [hook] };
}

async function setClock(by: number): Promise<void> {
  ahead += by;
  writeFileSync(clockFile, String(ahead));
  await sleep(NOTICED_MS);
}

/** The status of a create, and the webhooks that saw it. */
async function reviewed(name: string, query = ''): Promise<unknown> {
  const before = webhook.requests.length;
  const { status } = await client.request('POST', `${CONFIG_MAPS}${query}`, { metadata: { name } });
  return [status, webhook.requests.slice(before).map(({ url }) => url.split('?')[0])];
}

it.each([5 * HOUR_MS, -5 * HOUR_MS])('a write goes on when the clock is set by %i ms amid it', async (step) => {
  amid = () => setClock(step);
  expect(await reviewed(`step${step}`)).toEqual([201, ['/a', '/b']]);
  amid = async () => {};
  const { body } = await client.request('GET', `${CONFIG_MAPS}/step${step}`);
  expect(JSON.parse(body).metadata.name).toBe(`step${step}`);
  expect((await client.request('GET', '/readyz')).body).toBe('ok');
});
