import { join } from 'node:path';
import { makeIssuerKey } from '@apiserver/authentication/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeSigner, startFakeSigner } from '../../packages/kube-apiserver/src/testing/fake-signer.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const resources = new AsyncDisposableStack();
const folder = resources.use(temporaryDirectory('external-signer'));
const path = join(folder.path, 'signer.sock');
let signer: FakeSigner;
let server: ApiServer;
let client: AdminClient;

beforeAll(async () => {
  signer = resources.use(await startFakeSigner(path, [makeIssuerKey('k1')]));
  server = resources.use(await startApiServer({ args: [`--service-account-signing-endpoint=${path}`] }));
  client = resources.use(new AdminClient(server.kubeconfig));
});
afterAll(() => resources.disposeAsync());

async function post(url: string, body: object) {
  const { status, body: text } = await client.request('POST', url, body);
  return { status, body: JSON.parse(text) };
}

const newToken = () => post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });

async function reviewOf(token: string) {
  const { body } = await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  return body.status;
}

it('signs the tokens of a server, which verifies them by its keys', async () => {
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const { status, body } = await newToken();
  expect(status).toBe(201);
  const username = 'system:serviceaccount:default:robot';
  expect(await reviewOf(body.status.token)).toMatchObject({ authenticated: true, user: { username } });
  const keys = JSON.parse((await client.request('GET', '/openid/v1/jwks')).body).keys;
  expect(keys.map(({ kid }: { kid: string }) => kid)).toEqual(['k1']);
  signer.behaviour.keys = [makeIssuerKey('k2', 'RS256')];
  const second = (await newToken()).body.status.token;
  expect(await reviewOf(second)).toMatchObject({ authenticated: true, user: { username } });
  const renewed = JSON.parse((await client.request('GET', '/openid/v1/jwks')).body).keys;
  expect(renewed.map(({ kid }: { kid: string }) => kid)).toEqual(['k2']);
});

it('is missed with a clear error', async () => {
  signer.behaviour.failures = { Sign: 'the vault is sealed' };
  const { status, body } = await newToken();
  expect([status, body.message]).toEqual([
    500,
    'Internal error occurred: failed to generate token: while signing jwt: rpc error: code = Unknown desc = the vault is sealed',
  ]);
});
