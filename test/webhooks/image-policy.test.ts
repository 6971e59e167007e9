import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterEach, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { type SentReview, startFakeWebhook, type Verdict } from './fake-webhook.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

/** A server whose pods the webhook reviews, and a function that creates a pod and returns `code message`. */
async function serverWith(verdictOf: (review: SentReview) => Verdict, imagePolicy: object = {}) {
  const webhook = stack.use(await startFakeWebhook(verdictOf));
  const folder = stack.use(temporaryDirectory('image-policy')).path;
  const file = join(folder, 'admission.yaml');
  const configuration = { imagePolicy: { kubeConfigFile: webhook.kubeconfig(), retryBackoff: -1, ...imagePolicy } };
  const plugins = [{ name: 'ImagePolicyWebhook', configuration }];
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };
  writeFileSync(file, JSON.stringify({ ...kind, plugins }));
  const server = stack.use(
    await startKubeApiserver({
      dataDirectory: join(folder, 'data'),
      storageBackend: 'memory',
      flags: [
        `--admission-control-config-file=${file}`,
        '--enable-admission-plugins=ImagePolicyWebhook',
        '--disable-admission-plugins=ServiceAccount',
      ],
    }),
  );
  const client = stack.use(new AdminClient(server.kubeconfigPath ?? ''));
  const create = async (name: string, image: string) => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image }] } };
    const { status, body } = await client.request('POST', '/api/v1/namespaces/default/pods', pod);
    const { message = '' } = JSON.parse(body);
    return `${status} ${message}`.trim();
  };
  return { create, webhook };
}

const refusing = ({ spec }: SentReview): Verdict =>
  spec.containers.every(({ image }: { image: string }) => image.endsWith(':1'))
    ? { allowed: true }
    : { allowed: false, reason: 'no version' };

it('a webhook decides on images, once for equal pods', async () => {
  const { create, webhook } = await serverWith(refusing);
  expect([await create('a', 'i:1'), await create('b', 'i'), await create('c', 'i:1')]).toEqual([
    '201',
    '403 pods "b" is forbidden: image policy webhook backend denied one or more images: no version',
    '201',
  ]);
  expect(webhook.requests).toEqual(Array(2).fill('POST /review?timeout=30s kube-apiserver application/json'));
  expect(webhook.reviews[0]).toEqual({
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    kind: 'ImageReview',
    metadata: {},
    spec: { containers: [{ image: 'i:1' }], namespace: 'default' },
    status: { allowed: false },
  });
});

it('without a webhook pods are refused, unless the configuration admits them', async () => {
  for (const [defaultAllow, expected] of [
    [false, /^403 pods "a" is forbidden: Post "https:.*connection refused$/],
    [true, /^201$/],
  ] as const) {
    const { create, webhook } = await serverWith(refusing, { defaultAllow });
    await webhook.close();
    expect(await create('a', 'i:1')).toMatch(expected);
  }
});
