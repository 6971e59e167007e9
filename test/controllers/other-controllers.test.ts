import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControllerServer, conditionTexts, startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };
let server: ControllerServer;

beforeAll(async () => {
  server = await startControllerServer('*,bootstrap-signer-controller,token-cleaner-controller');
});
afterAll(() => server[Symbol.asyncDispose]());

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '');
const gone = (path: string) => expect.poll(() => server.get(path), poll).toBe(undefined);

// Upstream: test/e2e/apps/ttl_after_finished.go
it('deletes a finished Job once its TTL is over', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } };
  const finish = async (name: string, ttlSecondsAfterFinished: number) => {
    await server.create(jobs, { metadata: { name }, spec: { ttlSecondsAfterFinished, template } });
    const lastTransitionTime = inSeconds(0);
    const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', lastTransitionTime }));
    const times = { startTime: lastTransitionTime, completionTime: lastTransitionTime };
    await server.patch(`${jobs}/${name}/status`, {
      status: { ...times, succeeded: 1, uncountedTerminatedPods: {}, conditions },
    });
  };
  await finish('later', 3600);
  await finish('now', 0);
  await gone(`${jobs}/now`);
  await finish('soon', 1);
  await gone(`${jobs}/soon`);
  expect(await server.get(`${jobs}/later`)).toBeDefined();
  await server.patch(`${jobs}/later`, { spec: { ttlSecondsAfterFinished: 0 } });
  await gone(`${jobs}/later`);
});

const secrets = '/api/v1/namespaces/kube-system/secrets';

function token(id: string, values: Readonly<Record<string, string>>) {
  const stringData = { 'token-id': id, 'token-secret': `${id}0123456789`, ...values };
  return { metadata: { name: `bootstrap-token-${id}` }, type: 'bootstrap.kubernetes.io/token', stringData };
}

it('deletes expired bootstrap tokens', async () => {
  await server.create(secrets, token('past00', { expiration: inSeconds(-60) }));
  await server.create(secrets, token('soon00', { expiration: inSeconds(1) }));
  await server.create(secrets, token('later0', { expiration: inSeconds(3600) }));
  await server.create(secrets, token('always', {}));
  await gone(`${secrets}/bootstrap-token-past00`);
  await gone(`${secrets}/bootstrap-token-soon00`);
  expect([
    await server.get(`${secrets}/bootstrap-token-later0`),
    await server.get(`${secrets}/bootstrap-token-always`),
  ]).toEqual([expect.anything(), expect.anything()]);
});

it('signs cluster-info with the tokens that may sign', async () => {
  const kubeconfig = 'a: kubeconfig';
  const path = '/api/v1/namespaces/kube-public/configmaps';
  await server.create(path, {
    metadata: { name: 'cluster-info' },
    data: { kubeconfig, 'jws-kubeconfig-stale0': 'x..y' },
  });
  await server.create(secrets, token('signer', { 'usage-bootstrap-signing': 'true' }));
  await server.create(secrets, token('silent', { 'usage-bootstrap-signing': 'false' }));
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  const header = encoded('{"alg":"HS256","kid":"signer"}');
  const signature = createHmac('sha256', 'signer0123456789')
    .update(`${header}.${encoded(kubeconfig)}`)
    .digest('base64url');
  const dataOf = async () => (await server.get(`${path}/cluster-info`))?.['data'];
  await expect.poll(dataOf, poll).toEqual({ kubeconfig, 'jws-kubeconfig-signer': `${header}..${signature}` });
  await server.delete(`${secrets}/bootstrap-token-signer`);
  await expect.poll(dataOf, poll).toEqual({ kubeconfig });
});

// Upstream: test/e2e/network/service_cidrs.go and test/integration/servicecidr
it('protects ServiceCIDRs that services use', async () => {
  const cidrs = '/apis/networking.k8s.io/v1/servicecidrs';
  const finalizers = ['networking.k8s.io/service-cidr-finalizer'];
  await server.create(cidrs, { metadata: { name: 'more' }, spec: { cidrs: ['10.168.0.0/24'] } });
  const conditions = async () => conditionTexts(await server.get(`${cidrs}/more`));
  await expect.poll(conditions, poll).toEqual(['Ready True : Kubernetes Service CIDR is ready']);
  expect((await server.get(`${cidrs}/more`))?.metadata.finalizers).toEqual(finalizers);
  expect((await server.get(`${cidrs}/kubernetes`))?.metadata.finalizers).toEqual(finalizers);

  const services = '/api/v1/namespaces/default/services';
  const ports = [{ port: 80 }];
  await server.create(services, { metadata: { name: 'there' }, spec: { clusterIP: '10.168.0.7', ports } });
  await server.delete(`${cidrs}/more`);
  const blocked =
    'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';
  await expect.poll(conditions, poll).toEqual([`Ready False Terminating: ${blocked}`]);
  await server.delete(`${services}/there`);
  await gone(`${cidrs}/more`);

  await server.create(cidrs, { metadata: { name: 'inner' }, spec: { cidrs: ['10.169.0.0/25'] } });
  await server.create(cidrs, { metadata: { name: 'outer' }, spec: { cidrs: ['10.169.0.0/24'] } });
  const ready = async () => conditionTexts(await server.get(`${cidrs}/inner`));
  await expect.poll(ready, poll).toEqual(['Ready True : Kubernetes Service CIDR is ready']);
  await server.create(services, { metadata: { name: 'inside' }, spec: { clusterIP: '10.169.0.7', ports } });
  await server.delete(`${cidrs}/inner`);
  await gone(`${cidrs}/inner`);
});
