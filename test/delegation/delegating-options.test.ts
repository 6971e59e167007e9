import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import {
  makeTestCertificate,
  type TestCertificate,
  testAuthenticationExchange,
} from '@apiserver/authentication/testing';
import { testAttributes } from '@apiserver/authorization/testing';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import {
  DelegatingAuthenticationOptions,
  DelegatingAuthorizationOptions,
  type GenericServerConfig,
  newGenericServerConfig,
  newServerContext,
} from '@apiserver/generic-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { type CoreServer, EXTENSION_USER, startCoreServer } from './core-server.ts';

const CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

let core: CoreServer;
let kubeconfig: string;
const contexts: GenericServerConfig[] = [];

beforeAll(async () => {
  core = await startCoreServer();
  kubeconfig = core.kubeconfigOf(EXTENSION_USER);
  await vi.waitFor(async () => expect((await core.admin.request('GET', CONFIG_MAP)).status).toBe(200), 30_000);
});
afterAll(() => core?.[Symbol.asyncDispose]());
afterEach(async () => {
  for (const { disposables } of contexts.splice(0)) await disposables.disposeAsync();
});

function newConfig() {
  const { logger, lines } = createTestLogger(2);
  const config = newGenericServerConfig(newServerContext({ logger }));
  contexts.push(config);
  return {
    config,
    lines,
    warnings: () => lines.filter(({ level }) => level === 'warning').map(({ message }) => message),
  };
}

async function authenticate(
  config: GenericServerConfig,
  headers: Record<string, string> = {},
  certificate?: TestCertificate,
) {
  const certificates = certificate && { certificates: { chain: [certificate.der], memo: new Map() } };
  const { exchange } = testAuthenticationExchange({ headers, ...certificates });
  return (await config.authenticator?.authenticateRequest(exchange))?.user;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('DelegatingAuthenticationOptions', () => {
  const applied = async (changes: Partial<DelegatingAuthenticationOptions> = {}) => {
    const made = newConfig();
    const options = Object.assign(new DelegatingAuthenticationOptions(), { kubeconfig }, changes);
    return { ...made, options, authentication: await options.applyTo(made.config) };
  };

  it('has the core server review tokens, and remembers', async () => {
    const { config } = await applied();
    const alice = { name: 'alice', uid: 'alice', groups: ['system:authenticated'] };
    expect(await authenticate(config, bearer('alice-token'))).toMatchObject(alice);
    expect(await authenticate(config, bearer('alice-token'))).toMatchObject(alice);
    await expect(authenticate(config, bearer('no-token'))).rejects.toThrow('invalid bearer token');
    expect(await authenticate(config)).toMatchObject({ name: 'system:anonymous' });
    const { text } = await config.metrics.expose();
    expect(text).toContain('apiserver_delegated_authn_request_total{code="201"} 2');
    expect(text).toContain('authentication_token_cache_request_total{status="hit"} 1');
    expect(text).toContain('authentication_token_cache_fetch_total{status="error"} 1');
  });

  it('knows clients and the proxy by the authorities of the core server', async () => {
    const { config, authentication } = await applied();
    const { cert } = readCredentials(core.server.kubeconfigPath ?? '');
    const der = Buffer.from(cert.replace(/-----[^-]+-----/g, ''), 'base64');
    expect(await authenticate(config, {}, { ...core.proxy, der })).toMatchObject({ name: 'kubernetes-admin' });
    const headers = { 'X-Remote-User': 'carol', 'X-Remote-Group': 'crew', 'X-Remote-Uid': 'u7' };
    expect(await authenticate(config, headers, core.proxy)).toEqual({
      name: 'carol',
      uid: 'u7',
      extra: {},
      groups: ['crew', 'system:authenticated'],
    });
    const stranger = makeTestCertificate({ commonName: 'stranger', issuer: core.proxyAuthority });
    await expect(authenticate(config, headers, stranger)).rejects.toThrow(
      'x509: subject with cn=stranger is not in the allowed list',
    );
    expect(authentication.authorities.map(({ contents }) => contents[0])).toContain(core.proxyAuthority.certificate);
  });

  it('follows the ConfigMap, and keeps the last usable value', async () => {
    const { config, lines } = await applied();
    const before = await core.admin.json('GET', CONFIG_MAP);
    const next = makeTestCertificate({ commonName: 'next-authority', authority: true });
    const proxy = makeTestCertificate({ commonName: 'next-proxy', issuer: next });
    const patch = async (data: Record<string, string>) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      expect((await core.admin.request('PATCH', CONFIG_MAP, { data }, headers)).status).toBe(200);
    };
    try {
      // The core server restores its own: it combines the present value with it.
      await patch({
        'requestheader-client-ca-file': next.certificate,
        'requestheader-allowed-names': '["front-proxy","next-proxy"]',
      });
      await expect.poll(() => authenticate(config, { 'X-Remote-User': 'dave' }, proxy)).toMatchObject({ name: 'dave' });
      await patch({ 'requestheader-allowed-names': '{' });
      await expect.poll(() => lines.some(({ level }) => level === 'error')).toBe(true);
      expect(await authenticate(config, { 'X-Remote-User': 'dave' }, proxy)).toMatchObject({ name: 'dave' });
    } finally {
      await patch(before['data'] as Record<string, string>);
    }
  });

  it('does not start without the rights to look up', async () => {
    const { lines, config } = newConfig();
    const options = Object.assign(new DelegatingAuthenticationOptions(), { kubeconfig: core.kubeconfigOf('bob') });
    await expect(options.applyTo(config)).rejects.toThrow(
      'unable to load configmap based request-header-client-ca-file: configmaps "extension-apiserver-authentication" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
    );
    expect(lines.map(({ message }) => message).join('\n')).toContain(
      '--role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA',
    );
  });

  it('starts without them if the option allows it, and warns', async () => {
    const { authentication, warnings } = await applied({
      kubeconfig: core.kubeconfigOf('bob'),
      tolerateLookupFailure: true,
    });
    expect(authentication.requestHeader).toBeUndefined();
    expect(warnings()).toContain(
      'Continuing without authentication configuration. This may treat all requests as anonymous.',
    );
  });

  it('reads nothing if the option forbids it', async () => {
    const { authentication, config } = await applied({ kubeconfig: core.kubeconfigOf('bob'), skipLookup: true });
    expect(authentication).toEqual({ clientCA: undefined, requestHeader: undefined, authorities: [] });
    expect(await authenticate(config, {}, core.proxy)).toMatchObject({ name: 'system:anonymous' });
  });

  it('takes authorities from flags before those of the core server', async () => {
    const own = makeTestCertificate({ commonName: 'own', authority: true });
    const { config } = await applied({ clientCAFile: core.write('own.crt', own.certificate) });
    const eve = makeTestCertificate({ commonName: 'eve', issuer: own });
    expect(await authenticate(config, {}, eve)).toMatchObject({ name: 'eve' });
  });

  it('needs a kubeconfig outside of a cluster, unless it is optional', async () => {
    const { config } = newConfig();
    await expect(new DelegatingAuthenticationOptions().applyTo(config)).rejects.toThrow(
      'failed to get delegated authentication kubeconfig: failed to get delegated authentication kubeconfig: unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
    const { warnings, config: other } = await applied({ kubeconfig: '', isKubeconfigOptional: true });
    expect(warnings()).toEqual([
      "No authentication-kubeconfig provided in order to lookup client-ca-file in configmap/extension-apiserver-authentication in kube-system, so client certificate authentication won't work.",
      "No authentication-kubeconfig provided in order to lookup requestheader-client-ca-file in configmap/extension-apiserver-authentication in kube-system, so request-header client certificate authentication won't work.",
    ]);
    expect(await authenticate(other, bearer('alice-token'))).toMatchObject({ name: 'system:anonymous' });
  });
});

describe('DelegatingAuthorizationOptions', () => {
  const applied = (changes: Partial<DelegatingAuthorizationOptions> = {}) => {
    const made = newConfig();
    const authorizer = Object.assign(new DelegatingAuthorizationOptions(), { kubeconfig }, changes).applyTo(
      made.config,
    );
    return { ...made, authorizer };
  };
  const user = (name: string, ...groups: string[]) => ({ name, groups, extra: {} });
  const ask = { verb: 'get', isResourceRequest: true, apiGroup: 'wardle.example.com', apiVersion: 'v1' };
  const flunders = { ...ask, resource: 'flunders', namespace: 'sea', name: 'one' };

  it('has the core server decide, and remembers', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/sea';
    await core.admin.request('POST', '/api/v1/namespaces', { metadata: { name: 'sea' } });
    const rules = [{ apiGroups: ['wardle.example.com'], resources: ['flunders'], verbs: ['get'] }];
    await core.admin.request('POST', `${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    await core.admin.request('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    });
    const { authorizer, config } = applied({ denyCacheTtl: 0 });
    const decisionOn = async (name: string) =>
      (await authorizer.authorize(testAttributes({ ...flunders, user: user(name) }))).decision;
    await expect.poll(() => decisionOn('alice')).toBe('Allow');
    expect(await decisionOn('bob')).toBe('NoOpinion');
    expect(authorizer.authorize(testAttributes({ ...flunders, user: user('alice') }))).toMatchObject({
      decision: 'Allow',
    });
    expect((await config.metrics.expose()).text).toContain('apiserver_delegated_authz_request_total{code="201"}');
  });

  it('does not ask for health, nor for administrators', () => {
    const { authorizer } = applied();
    const health = testAttributes({ isResourceRequest: false, path: '/healthz', verb: 'get' });
    expect(authorizer.authorize(health)).toMatchObject({ decision: 'Allow' });
    const admin = testAttributes({ ...flunders, user: user('root', 'system:masters') });
    expect(authorizer.authorize(admin)).toMatchObject({ decision: 'Allow' });
  });

  it('has no opinion, and an error, when it may not ask', async () => {
    const { authorizer } = applied({ kubeconfig: core.kubeconfigOf('bob') });
    const result = await authorizer.authorize(testAttributes({ ...flunders, user: user('alice') }));
    expect([result.decision, result.error?.message]).toEqual([
      'NoOpinion',
      'subjectaccessreviews.authorization.k8s.io is forbidden: User "bob" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope',
    ]);
  });

  it('warns without a core server', async () => {
    const { authorizer, warnings } = applied({ kubeconfig: '', isKubeconfigOptional: true });
    expect(warnings()).toEqual([
      "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.",
    ]);
    const result = await authorizer.authorize(testAttributes({ ...flunders, user: user('alice') }));
    expect(result.decision).toBe('NoOpinion');
  });
});

it('has the flags of upstream with its defaults', () => {
  const sets = new NamedFlagSets();
  new DelegatingAuthenticationOptions().addFlags(sets.section('authentication'));
  new DelegatingAuthorizationOptions().addFlags(sets.section('authorization'));
  expect(Object.fromEntries(sets.all().map(({ name, value }) => [name, String(value)]))).toEqual({
    'authentication-kubeconfig': '',
    'authentication-skip-lookup': 'false',
    'authentication-token-webhook-cache-ttl': '10s',
    'authentication-tolerate-lookup-failure': 'false',
    'authorization-always-allow-paths': '[/healthz,/readyz,/livez]',
    'authorization-kubeconfig': '',
    'authorization-webhook-cache-authorized-ttl': '10s',
    'authorization-webhook-cache-unauthorized-ttl': '10s',
    'client-ca-file': '',
    'requestheader-allowed-names': '[]',
    'requestheader-client-ca-file': '',
    'requestheader-extra-headers-prefix': '[x-remote-extra-]',
    'requestheader-group-headers': '[x-remote-group]',
    'requestheader-uid-headers': '[]',
    'requestheader-username-headers': '[x-remote-user]',
  });
});
