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

// Upstream: test/integration/serviceaccount/service_account_test.go,
// pkg/controller/serviceaccount/tokens_controller_test.go
it('gives secrets for tokens a token while their service account exists', async () => {
  await using server = await startControllerServer();
  const path = '/api/v1/namespaces/default';
  const secret = (name: string, account: string) =>
    server.create(`${path}/secrets`, {
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
      type: 'kubernetes.io/service-account-token',
    });
  const secrets = [{ name: 'robot-token' }, { name: 'unrelated' }];
  const account = await server.create(`${path}/serviceaccounts`, { metadata: { name: 'robot' }, secrets });
  await secret('robot-token', 'robot');
  const dataOf = async (name: string): Promise<Record<string, string>> =>
    Object((await server.get(`${path}/secrets/${name}`))?.['data']);
  await expect
    .poll(() => dataOf('robot-token'), poll)
    .toEqual({
      'ca.crt': expect.any(String),
      namespace: Buffer.from('default').toString('base64'),
      token: expect.any(String),
    });
  const { 'ca.crt': authority, token: encoded = '' } = await dataOf('robot-token');
  const token = Buffer.from(encoded, 'base64').toString();
  expect(Buffer.from(authority ?? '', 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).toBe(
    `{"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"default","kubernetes.io/serviceaccount/secret.name":"robot-token","kubernetes.io/serviceaccount/service-account.name":"robot","kubernetes.io/serviceaccount/service-account.uid":"${account.metadata.uid}","sub":"system:serviceaccount:default:robot"}`,
  );
  expect((await server.get(`${path}/secrets/robot-token`))?.metadata).toMatchObject({
    annotations: {
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': account.metadata.uid,
    },
  });
  const review = await server.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  expect(review['status']).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:robot', uid: account.metadata.uid },
  });

  await server.patch(`${path}/secrets/robot-token`, { data: { 'ca.crt': 'AAAA', extra: 'AAAA' } });
  await expect
    .poll(() => dataOf('robot-token'), poll)
    .toEqual({ 'ca.crt': authority, extra: 'AAAA', namespace: expect.any(String), token: encoded });

  await server.delete(`${path}/secrets/robot-token`);
  await expect
    .poll(async () => (await server.get(`${path}/serviceaccounts/robot`))?.['secrets'], poll)
    .toEqual([{ name: 'unrelated' }]);

  await secret('last', 'robot');
  await expect.poll(() => dataOf('last'), poll).toHaveProperty('token');
  await server.delete(`${path}/serviceaccounts/robot`);
  await secret('late', 'robot');
  for (const name of ['last', 'late']) {
    await expect.poll(() => server.get(`${path}/secrets/${name}`), poll).toBe(undefined);
  }
});
