import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '@apiserver/envtest';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slow-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'slow' },
  webhooks: [
    {
      name: 'slow.example.com',
      clientConfig: { service: { namespace: 'system', name: 'webhook', path: '/mutate' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { slow: 'yes' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

/** Milliseconds from which on a request is slow. */
const SLOW = 500;

/** Allows everything after more than the time from which on a request is slow. */
function slowWebhook(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { uid } = JSON.parse(Buffer.concat(chunks).toString()).request;
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
    const respond = () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
    setTimeout(respond, SLOW + 100);
  });
}

it('has the time of each layer in the event of a slow request only', async () => {
  const [policy, log] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=blocking'];
  await using plane = await startControlPlane({
    controllers: [],
    flags,
    webhooks: configuration,
    webhookServer: slowWebhook,
  });
  const create = async (name: string, labels: object) => {
    const response = await plane.fetch('/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'audit-id': name },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } }),
    });
    expect(response.status).toBe(201);
  };
  await create('slow', { slow: 'yes' });
  // On a busy machine, each request may be slow.
  let quick = '';
  for (let i = 0; quick === ''; i++) {
    const begun = performance.now();
    await create(`quick-${i}`, {});
    if (performance.now() - begun < SLOW) quick = `quick-${i}`;
  }
  const events: { auditID: string; stage: string; annotations: Record<string, string> }[] = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const latencies = (id: string) =>
    events
      .filter(({ auditID, stage }) => auditID === id && stage === 'ResponseComplete')
      .map(({ annotations }) =>
        Object.entries(annotations).flatMap(([key, value]) => {
          const [domain, layer] = key.split('/');
          return domain === 'apiserver.latency.k8s.io' ? [[layer, /^[0-9.]+(µs|ms|s)$/.test(value)]] : [];
        }),
      );
  expect(latencies(quick)).toEqual([[]]);
  const layers = [
    ...['authentication', 'authorization', 'mutating-webhook', 'etcd'],
    ...['transform-response-object', 'serialize-response-object', 'total'],
  ];
  expect(latencies('slow').map((found) => [...found].sort())).toEqual([layers.sort().map((layer) => [layer, true])]);
});
