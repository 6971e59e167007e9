import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathAttributes } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { AuthenticationConfigMap } from '../delegating/authentication-config-map.js';
import { type AuthenticationDependencies, AuthenticationOptions } from './authentication-options.js';
import { AuthorizationOptions } from './authorization-options.js';
import { DelegatingAuthenticationOptions } from './delegating-authentication-options.js';
import { DelegatingAuthorizationOptions } from './delegating-authorization-options.js';
import { ServerRunOptions } from './server-run-options.js';

const folder = mkdtempSync(join(tmpdir(), 'applied-access-'));
afterAll(() => rmSync(folder, { recursive: true }));

let stack = new AsyncDisposableStack();
beforeEach(() => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

function file(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function newConfig() {
  const { logger, lines } = createTestLogger();
  const config = newGenericServerConfig(newServerContext({ logger }));
  stack.use(config.disposables);
  const warnings = () => lines.filter(({ level }) => level === 'warning').map(({ message }) => message);
  return { config, warnings, logger };
}

const kubeconfig = () =>
  file('core.json', {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  });

const authority = makeTestCertificate({ commonName: 'authority', authority: true }).certificate;
const authorityFile = () => file('authority.crt', authority);

const access = pathAttributes({ name: 'a', groups: [], extra: {} }, 'get', '/x');

describe('AuthorizationOptions', () => {
  const authorizationFile = (type: string) =>
    file(`${type}.json`, {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [{ type, name: type.toLowerCase() }],
    });

  it('plans the authorizers of a file alone', async () => {
    const configFile = authorizationFile('RBAC');
    const plan = await Object.assign(new AuthorizationOptions(), { configFile, modes: ['AlwaysDeny'] }).plan();
    expect(plan.authorizers).toMatchObject([{ type: 'RBAC', name: 'rbac' }]);
    expect(plan.loaded?.configuration.authorizers).toBe(plan.authorizers);
  });

  it('names a file that is not there', async () => {
    await expect(Object.assign(new AuthorizationOptions(), { configFile: '/none' }).plan()).rejects.toMatchObject({
      name: 'StartupError',
      message: 'open /none: no such file or directory',
    });
  });

  it.each<[{ modes: readonly string[]; policy?: object }, string]>([
    [{ modes: ['AlwaysAllow'] }, 'Allow'],
    [{ modes: ['AlwaysDeny'] }, 'NoOpinion'],
    [{ modes: ['AlwaysDeny', 'AlwaysAllow'] }, 'Allow'],
    [{ modes: ['ABAC'], policy: { readonly: true, nonResourcePath: '/x', user: 'a' } }, 'Allow'],
    [{ modes: ['ABAC'], policy: { readonly: true, nonResourcePath: '/x', user: 'b' } }, 'NoOpinion'],
  ])('decides by %j: %s', async ({ modes, policy }, decision) => {
    const options = Object.assign(new AuthorizationOptions(), { modes });
    if (policy !== undefined) {
      const line = { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec: policy };
      options.policyFile = file('policies.jsonl', line);
    }
    const { config } = newConfig();
    const { authorizer, ruleResolver } = await options.applyTo(config);
    expect(await authorizer.authorize(access)).toMatchObject({ decision });
    expect([config.authorizer, config.ruleResolver]).toEqual([authorizer, ruleResolver]);
  });

  it('asks the made authorizer of a file, and sets both parts', async () => {
    const { config } = newConfig();
    const authorize = vi.fn(async () => ({ decision: 'Allow' as const, reason: 'made' }));
    const rulesFor = vi.fn();
    const made = { RBAC: { authorize, rulesFor } };
    const options = Object.assign(new AuthorizationOptions(), { configFile: authorizationFile('RBAC') });
    const applied = await options.applyTo(config, { made: made as never });
    expect(await config.authorizer?.authorize(access)).toMatchObject({ decision: 'Allow', reason: 'made' });
    expect([config.authorizer, config.ruleResolver]).toEqual([applied.authorizer, applied.ruleResolver]);
  });

  it('prefers a given plan', async () => {
    const { config } = newConfig();
    const options = Object.assign(new AuthorizationOptions(), { modes: ['AlwaysDeny'] });
    await options.applyTo(config, { plan: { authorizers: [{ type: 'AlwaysAllow', name: 'a' }] } });
    expect(await config.authorizer?.authorize(access)).toMatchObject({ decision: 'Allow' });
  });
});

describe('AuthenticationOptions', () => {
  const encoded = (data: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  const bootstrapSecret = async (name: string) => ({
    metadata: { name },
    type: 'bootstrap.kubernetes.io/token',
    data: encoded({
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    }),
  });
  const applied = async (
    fields: Partial<AuthenticationOptions>,
    dependencies: AuthenticationDependencies = {},
    webhook: Partial<AuthenticationOptions['webhook']> = {},
  ) => {
    const made = newConfig();
    const options = Object.assign(new AuthenticationOptions(), fields);
    Object.assign(options.webhook, webhook);
    const { clientCA } = await options.applyTo(made.config, dependencies);
    return { ...made, clientCA };
  };
  const issuerFile = (jwt: readonly object[]) =>
    file('issuers.json', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt,
      anonymous: { enabled: true },
    });
  const issuer = {
    issuer: { url: 'https://issuer.example', audiences: ['a'] },
    claimMappings: { username: { claim: 'sub', prefix: '' } },
  };

  it.each<[boolean, boolean, string | undefined]>([
    [true, true, 'system:bootstrap:abcdef'],
    [false, true, undefined],
    [true, false, undefined],
  ])('knows bootstrap tokens, by flag %s and with secrets %s, as %s', async (bootstrapTokens, hasSecrets, name) => {
    const { config } = await applied({ bootstrapTokens }, hasSecrets ? { bootstrapSecret } : {});
    const known = await config.tokenAuthenticator?.authenticateToken('abcdef.0123456789abcdef');
    expect(known?.user.name).toBe(name);
    expect(config.tokenAuthenticator === undefined).toBe(name === undefined);
  });

  it('has no tokens by default', async () => {
    const { config, warnings, clientCA } = await applied({});
    expect([config.tokenAuthenticator, config.apiAudiences, clientCA, warnings()]).toEqual([
      ...[undefined, [], undefined, []],
    ]);
  });

  it.each([
    ['t', 'carol'],
    ['u', undefined],
  ])('knows the token %s of a file as %s', async (token, name) => {
    const tokenAuthFile = file('tokens.csv', 't,carol,1\n');
    const { config } = await applied({ tokenAuthFile, apiAudiences: ['api'] });
    const known = await config.tokenAuthenticator?.authenticateToken(token);
    expect([known?.user.name, config.apiAudiences]).toEqual([name, ['api']]);
  });

  it.each([
    [false, false, undefined],
    [true, false, 'given'],
    [false, true, 'generated'],
    [true, true, 'given'],
  ])('takes authorities, given %s and generated %s: %s', async (isGiven, isGenerated, expected) => {
    const pems = new Map(
      ['given', 'generated'].map((commonName) => [
        commonName,
        makeTestCertificate({ commonName, authority: true }).certificate,
      ]),
    );
    const [given, generated] = [...pems].map(([name, pem]) => file(`${name}.crt`, pem));
    const { clientCA } = await applied(
      { clientCAFile: isGiven ? `${given}` : '' },
      isGenerated ? { generatedClientCAFile: `${generated}` } : {},
    );
    expect(clientCA?.contents).toEqual(expected && [pems.get(expected)]);
  });

  it.each([
    [{ configFile: '', cacheTtl: 5_000 }, 0],
    [{ configFile: 'hook', cacheTtl: 9_999 }, 1],
    [{ configFile: 'hook', cacheTtl: 1 }, 1],
    [{ configFile: 'hook', cacheTtl: 0 }, 0],
    [{ configFile: 'hook', cacheTtl: -1 }, 0],
    [{ configFile: 'hook', cacheTtl: 10_000 }, 0],
  ])('warns of a webhook %j, %i times', async ({ configFile, cacheTtl }, times) => {
    const webhook = { configFile: configFile && kubeconfig(), cacheTtl };
    const { warnings, config } = await applied({}, {}, webhook);
    expect(warnings().filter((message) => message.startsWith('the webhook cache ttl of ')).length).toBe(times);
    expect(config.tokenAuthenticator === undefined).toBe(configFile === '');
  });

  it('needs no service accounts for the issuers of a file', async () => {
    const { config } = await applied({ configFile: issuerFile([]) });
    expect(await config.tokenAuthenticator?.authenticateToken('t')).toBeUndefined();
    expect(config.tokenAuthenticator).toBeDefined();
  });

  it('refuses an issuer that is its own', async () => {
    const serviceAccounts = { issuers: ['https://issuer.example'] } as never;
    await expect(applied({ configFile: issuerFile([issuer]) }, { serviceAccounts })).rejects.toMatchObject({
      name: 'StartupError',
      message:
        'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "https://issuer.example": URL must not overlap with disallowed issuers: [https://issuer.example]',
    });
  });

  it.each([
    [{ egressSelector: false, keySetMetrics: true, certificateUid: true }, true],
    [{ egressSelector: true, keySetMetrics: true, certificateUid: true }, false],
    [undefined, false],
  ])('refuses the egress of issuers with features %j: %s', async (features, isRefused) => {
    const through = { ...issuer, issuer: { ...issuer.issuer, egressSelectorType: 'cluster', url: 'http://x' } };
    const made = applied({ configFile: issuerFile([through]) }, { ...(features && { features }) });
    const error: unknown = await made.catch((reason: unknown) => reason);
    expect(['url', 'egressSelectorType'].map((member) => String(error).includes(`jwt[0].issuer.${member}: `))).toEqual([
      ...[true, isRefused],
    ]);
  });

  it.each<[boolean, readonly string[], boolean]>([
    [true, ['RBAC', 'AlwaysAllow'], false],
    [true, ['RBAC'], true],
    [false, ['AlwaysAllow'], false],
  ])('anonymous %s with %j: %s', (anonymous, modes, expected) => {
    const { logger, warnings } = newConfig();
    const options = Object.assign(new AuthenticationOptions(), { anonymous });
    options.applyAuthorization(Object.assign(new AuthorizationOptions(), { modes }), logger);
    expect([options.anonymous, warnings().length]).toEqual([expected, anonymous && !expected ? 1 : 0]);
  });

  it.each([
    ['clientCAFile', 'unable to load client CA provider: open '],
    ['requestHeader', 'unable to create request header authentication config: open '],
    ['tokenAuthFile', 'open '],
  ])('names the missing file of %s', async (member, message) => {
    const options = new AuthenticationOptions();
    if (member === 'requestHeader') options.requestHeader.clientCAFile = '/none';
    else Object.assign(options, { [member]: '/none' });
    await expect(options.applyTo(newConfig().config)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${message}.*/none`)),
    });
  });
});

describe('DelegatingAuthenticationOptions', () => {
  const withoutProxy =
    "No authentication-kubeconfig provided in order to lookup requestheader-client-ca-file in configmap/extension-apiserver-authentication in kube-system, so request-header client certificate authentication won't work.";
  const withoutClients =
    "No authentication-kubeconfig provided in order to lookup client-ca-file in configmap/extension-apiserver-authentication in kube-system, so client certificate authentication won't work.";
  const spies = () => ({
    read: vi.spyOn(AuthenticationConfigMap.prototype, 'read').mockResolvedValue(),
    follow: vi.spyOn(AuthenticationConfigMap.prototype, 'follow').mockReturnValue(new AsyncDisposableStack()),
  });
  const options = ({ clients = false, proxies = false, ...fields }: Given) => {
    const made = Object.assign(new DelegatingAuthenticationOptions(), fields);
    if (clients) made.clientCAFile = authorityFile();
    if (proxies) made.requestHeader.clientCAFile = authorityFile();
    return made;
  };
  interface Given extends Partial<DelegatingAuthenticationOptions> {
    readonly clients?: boolean;
    readonly proxies?: boolean;
  }

  it.each<[Given, { reads: number; follows: number; clientCA: readonly string[] | undefined; proxyCA: unknown }]>([
    [{}, { reads: 1, follows: 1, clientCA: [''], proxyCA: [''] }],
    [{ clients: true }, { reads: 1, follows: 1, clientCA: [authority], proxyCA: [''] }],
    [{ proxies: true }, { reads: 0, follows: 1, clientCA: [''], proxyCA: [authority] }],
    [
      { clients: true, proxies: true },
      { reads: 0, follows: 0, clientCA: [authority], proxyCA: [authority] },
    ],
    [{ skipLookup: true }, { reads: 0, follows: 0, clientCA: undefined, proxyCA: undefined }],
    [
      { skipLookup: true, clients: true },
      { reads: 0, follows: 0, clientCA: [authority], proxyCA: undefined },
    ],
  ])('looks up the authorities that no file has: %j', async (given, expected) => {
    const { read, follow } = spies();
    const { config, warnings } = newConfig();
    const applied = await options({ ...given, kubeconfig: kubeconfig() }).applyTo(config);
    expect({
      reads: read.mock.calls.length,
      follows: follow.mock.calls.length,
      clientCA: applied.clientCA?.contents,
      proxyCA: applied.requestHeader?.authorities.contents,
    }).toEqual(expected);
    expect(applied.authorities.length).toBe(
      [expected.clientCA, expected.proxyCA].filter((one) => one !== undefined).length,
    );
    expect([warnings(), typeof config.tokenAuthenticator]).toEqual([[], 'object']);
  });

  it.each<[Given, readonly string[]]>([
    [{}, [withoutClients, withoutProxy]],
    [{ clients: true }, [withoutProxy]],
    [{ proxies: true }, [withoutClients]],
    [{ clients: true, proxies: true }, []],
    [{ skipLookup: true }, []],
  ])('warns without a core server: %j', async (given, expected) => {
    const { config, warnings } = newConfig();
    await options({ ...given, isKubeconfigOptional: true }).applyTo(config);
    expect([warnings(), config.tokenAuthenticator]).toEqual([expected, undefined]);
    expect(config.authenticator).toBeDefined();
  });

  it('needs a core server by default', async () => {
    await expect(options({}).applyTo(newConfig().config)).rejects.toMatchObject({
      message:
        'failed to get delegated authentication kubeconfig: failed to get delegated authentication kubeconfig: unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
      cause: expect.any(Error),
    });
  });

  it.each([[false], [true]])('a failed look-up, tolerated: %s', async (tolerateLookupFailure) => {
    const { read } = spies();
    const cause = new Error('no answer');
    read.mockRejectedValue(cause);
    const { config, warnings } = newConfig();
    const applied = options({ tolerateLookupFailure, kubeconfig: kubeconfig() }).applyTo(config);
    if (tolerateLookupFailure) {
      expect((await applied).requestHeader).toBeUndefined();
      expect(warnings()).toEqual([
        'Error looking up in-cluster authentication configuration: no answer',
        'Continuing without authentication configuration. This may treat all requests as anonymous.',
        'To require authentication configuration lookup to succeed, set --authentication-tolerate-lookup-failure=false',
      ]);
      return;
    }
    await expect(applied).rejects.toMatchObject({
      message: 'unable to load configmap based request-header-client-ca-file: no answer',
      cause,
    });
    expect(warnings()).toEqual([]);
  });

  it('reads the headers of the ConfigMap at each request', async () => {
    spies();
    const { config } = newConfig();
    const { requestHeader } = await options({ kubeconfig: kubeconfig() }).applyTo(config);
    const lists = (mark: string) => ({
      usernameHeaders: [`${mark}-user`],
      uidHeaders: [`${mark}-uid`],
      groupHeaders: [`${mark}-group`],
      extraHeaderPrefixes: [`${mark}-extra-`],
      allowedNames: [`${mark}-name`],
    });
    const current = vi.spyOn(AuthenticationConfigMap.prototype, 'lists', 'get');
    for (const mark of ['x-a', 'x-b']) {
      current.mockReturnValue(lists(mark));
      expect(requestHeader).toMatchObject(lists(mark));
      const names = ['user', 'uid', 'group', 'extra-scope', 'name'].map((name) => `${mark}-${name}`);
      expect(names.map((name) => config.isIdentityHeader?.(name))).toEqual([true, true, true, true, false]);
    }
    expect(requestHeader?.clientCAs()).toBe('');
  });
});

describe('DelegatingAuthorizationOptions', () => {
  const optional = () => Object.assign(new DelegatingAuthorizationOptions(), { isKubeconfigOptional: true });

  it('needs a core server by default', () => {
    expect(() => new DelegatingAuthorizationOptions().applyTo(newConfig().config)).toThrow(
      new Error(
        'failed to get delegated authorization kubeconfig: unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
      ),
    );
  });

  it.each<[Partial<DelegatingAuthorizationOptions>, string, readonly string[], string]>([
    [{}, '/healthz', [], 'Allow'],
    [{}, '/readyz', [], 'Allow'],
    [{}, '/livez', [], 'Allow'],
    [{}, '/x', [], 'NoOpinion'],
    [{}, '/x', ['system:masters'], 'Allow'],
    [{ alwaysAllowPaths: ['/x'] }, '/x', [], 'Allow'],
    [{ alwaysAllowPaths: ['/x'] }, '/healthz', [], 'NoOpinion'],
    [{ alwaysAllowPaths: [] }, '/healthz', [], 'NoOpinion'],
    [{ alwaysAllowGroups: [] }, '/x', ['system:masters'], 'NoOpinion'],
    [{ alwaysAllowGroups: ['wheel'] }, '/x', ['wheel'], 'Allow'],
  ])('%j decides on %s of %j: %s', async (fields, path, groups, decision) => {
    const { config, warnings } = newConfig();
    const authorizer = Object.assign(optional(), fields).applyTo(config);
    expect(config.authorizer).toBe(authorizer);
    const user = { ...access.user, groups: [...groups] };
    expect(await authorizer.authorize({ ...access, path, user })).toMatchObject({ decision });
    expect(warnings()).toEqual([
      "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.",
    ]);
  });

  it('does not warn with a core server', () => {
    const { config, warnings } = newConfig();
    Object.assign(optional(), { kubeconfig: kubeconfig() }).applyTo(config);
    expect(warnings()).toEqual([]);
  });
});

describe('ServerRunOptions', () => {
  it.each([
    [0, 0, false],
    [-1, 1, false],
    [0, 1, true],
    [1, 0, true],
  ])('reads %i and writes %i make seats: %s', async (maxRequestsInFlight, maxMutatingRequestsInFlight, isValid) => {
    const { config } = newConfig();
    const fields = { maxRequestsInFlight, maxMutatingRequestsInFlight };
    const applied = Object.assign(new ServerRunOptions(), fields).applyTo(config);
    if (isValid) {
      await applied;
      expect(config.flowControl).toBeDefined();
      return;
    }
    await expect(applied).rejects.toMatchObject({
      name: 'RangeError',
      message: `invalid configuration: MaxRequestsInFlight=${maxRequestsInFlight} and MaxMutatingRequestsInFlight=${maxMutatingRequestsInFlight}; they must add up to something positive`,
    });
  });
});
