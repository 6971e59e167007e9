import { expect, it } from 'vitest';
import { startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };

// Upstream: test/e2e/auth/service_accounts.go
it('gives each namespace its service account and root certificate, also again', async () => {
  await using server = await startControllerServer();
  await server.create('/api/v1/namespaces', { metadata: { name: 'work' } });
  for (const namespace of ['default', 'kube-system', 'work']) {
    const path = `/api/v1/namespaces/${namespace}`;
    await expect.poll(() => server.get(`${path}/serviceaccounts/default`), poll).toBeDefined();
    await expect.poll(() => server.get(`${path}/configmaps/kube-root-ca.crt`), poll).toBeDefined();
  }
  const path = '/api/v1/namespaces/work';
  const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  expect(Object((await server.create(`${path}/pods`, pod))['spec']).serviceAccountName).toBe('default');

  const account = await server.get(`${path}/serviceaccounts/default`);
  await server.delete(`${path}/serviceaccounts/default`);
  await expect
    .poll(
      async () => (await server.get(`${path}/serviceaccounts/default`))?.metadata.uid ?? account?.metadata.uid,
      poll,
    )
    .not.toBe(account?.metadata.uid);

  const published = await server.get(`${path}/configmaps/kube-root-ca.crt`);
  expect(published?.['data']).toEqual({ 'ca.crt': expect.stringMatching(/^-----BEGIN CERTIFICATE-----/) });
  await server.patch(`${path}/configmaps/kube-root-ca.crt`, { data: { 'ca.crt': 'wrong', other: 'x' } });
  await expect
    .poll(async () => (await server.get(`${path}/configmaps/kube-root-ca.crt`))?.['data'], poll)
    .toEqual(published?.['data']);
  await server.delete(`${path}/configmaps/kube-root-ca.crt`);
  await expect
    .poll(async () => (await server.get(`${path}/configmaps/kube-root-ca.crt`))?.['data'], poll)
    .toEqual(published?.['data']);
  expect(await server.read('/metrics')).toMatch(/^root_ca_cert_publisher_sync_total\{code="200"\} \d+$/m);
  await server.delete(path);
  await expect.poll(() => server.get(path), poll).toBe(undefined);
});
