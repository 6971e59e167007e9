import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate, testAuthenticationExchange } from '@apiserver/authentication/testing';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { afterAll, describe, expect, it } from 'vitest';
import { newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { clientCAContent } from '../dynamic-certificates/serving-content.js';
import { AuthenticationOptions } from './authentication-options.js';
import { AuthorizationOptions } from './authorization-options.js';
import { DelegatingAuthenticationOptions } from './delegating-authentication-options.js';
import { SecureServingOptions } from './secure-serving-options.js';
import { ServerRunOptions } from './server-run-options.js';

const folder = mkdtempSync(join(tmpdir(), 'options-'));
afterAll(() => rmSync(folder, { recursive: true }));

const authority = makeTestCertificate({ commonName: 'authority', authority: true });

function newConfig() {
  const { logger, lines } = createTestLogger();
  return { config: newGenericServerConfig(newServerContext({ logger })), logger, lines };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const messages = (errors: readonly Error[]) => errors.map(({ message }) => message);

describe('ServerRunOptions', () => {
  it('says everything that is wrong, in upstream words', () => {
    const options = Object.assign(new ServerRunOptions(), {
      livezGracePeriod: -1,
      maxRequestsInFlight: -1,
      maxMutatingRequestsInFlight: -1,
      requestTimeout: -1,
      goawayChance: 0.03,
      minRequestTimeoutSeconds: -1,
      storageInitializationTimeout: -1,
      shutdownDelayDuration: -1,
      shutdownWatchTerminationGracePeriod: -1,
      hstsDirectives: ['', 'max-age=1', 'max-age', 'preload', 'includeSubDomains'],
      corsAllowedOrigins: ['example.com', '//example.com(:|$)', '^https://x$'],
    });
    expect(messages(options.validate())).toEqual([
      '--livez-grace-period can not be a negative value',
      '--max-requests-inflight can not be negative value',
      '--max-mutating-requests-inflight can not be negative value',
      '--request-timeout can not be negative value',
      '--goaway-chance can not be less than 0 or greater than 0.02',
      '--min-request-timeout can not be negative value',
      '--storage-initialization-timeout can not be negative value',
      '--shutdown-delay-duration can not be negative value',
      'shutdown-watch-termination-grace-period, if provided, can not be a negative value',
      '[empty value in strict-transport-security-directives, --strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information]',
      expect.stringMatching(
        /^--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start\/end of host in the origin header, help: /,
      ),
    ]);
    expect(new ServerRunOptions().validate()).toEqual([]);
    const chances = [-0.01, 0, 0.02].map((goawayChance) => Object.assign(new ServerRunOptions(), { goawayChance }));
    expect(chances.map((options) => options.validate().length)).toEqual([1, 0, 0]);
  });

  it('writes flags into the config', async () => {
    const options = new ServerRunOptions();
    const sets = new NamedFlagSets();
    options.addFlags(sets.section('generic'));
    sets.parse(['--request-timeout=5s', '--max-requests-inflight=7', '--cors-allowed-origins=//a.example(:|$)']);
    const { config } = newConfig();
    await options.applyTo(config);
    expect([config.requestTimeout, config.maxRequestsInFlight]).toEqual([5_000, 7]);
    expect(['https://a.example', 'https://a.example.b'].map((origin) => config.isAllowedOrigin?.(origin))).toEqual([
      true,
      false,
    ]);
  });

  it('shares the server fairly, unless the flag is off', async () => {
    const apply = async (...args: string[]) => {
      const options = new ServerRunOptions();
      const sets = new NamedFlagSets();
      options.addFlags(sets.section('generic'));
      sets.parse(args);
      const { config } = newConfig();
      await options.applyTo(config);
      return config.flowControl === undefined ? 'limits' : [...config.flowControl.levels.keys()];
    };
    expect(await apply()).toEqual(['exempt', 'catch-all']);
    expect(await apply('--enable-priority-and-fairness=false', '--max-requests-inflight=0')).toBe('limits');
    await expect(apply('--max-requests-inflight=0', '--max-mutating-requests-inflight=0')).rejects.toThrow(
      'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
    );
  });

  it('refuses an origin that is no regular expression', async () => {
    const options = Object.assign(new ServerRunOptions(), { corsAllowedOrigins: ['//a(:$'] });
    await expect(options.applyTo(newConfig().config)).rejects.toMatchObject({
      message: expect.stringContaining('--cors-allowed-origins has an invalid regular expression: '),
      cause: expect.any(Error),
    });
  });
});

describe('SecureServingOptions', () => {
  it('says everything that is wrong', () => {
    const options = Object.assign(new SecureServingOptions(), {
      securePort: 70_000,
      cipherSuites: ['TLS_NOPE'],
      curvePreferences: [29, 30],
      minTlsVersion: 'VersionTLS9',
      http2Implementation: 'nghttp2',
    });
    expect(messages(options.validate())).toEqual([
      '--secure-port 70000 must be between 0 and 65535, inclusive',
      '--http2-implementation nghttp2 must be "own" or "node"',
      "Cipher suite TLS_NOPE not supported or doesn't exist",
      'curve preference 30 is not supported by the current Go version',
      'unknown tls version "VersionTLS9"',
    ]);
  });

  it('reads certificate and key', () => {
    const options = Object.assign(new SecureServingOptions(), {
      securePort: 0,
      bindAddress: '127.0.0.1',
      certFile: file('tls.crt', authority.certificate),
      privateKeyFile: file('tls.key', authority.key),
      minTlsVersion: 'VersionTLS13',
      permitPortSharing: true,
    });
    const { config } = newConfig();
    const clientCA = file('client-ca.crt', authority.certificate);
    options.applyTo(config, { authorities: [clientCAContent(clientCA, config)] });
    expect(config.secureServing).toEqual({
      areCertificatesOwn: false,
      followTls: expect.any(Function),
      address: '127.0.0.1',
      port: 0,
      sharePort: true,
      http2MaxStreamsPerConnection: 0,
      disableHttp2: false,
      http2Implementation: 'own',
      tls: {
        certificate: authority.certificate,
        key: authority.key,
        clientCA: authority.certificate,
        minVersion: 'TLSv1.3',
        named: [],
        cipherSuites: [],
        curves: [],
      },
    });
    expect(() => new SecureServingOptions().applyTo(config)).toThrow('--tls-cert-file');
    const generated = { certificateFile: options.certFile, keyFile: options.privateKeyFile };
    const own = [options, new SecureServingOptions()].flatMap((serving) =>
      [false, true].map((isGeneratedOwn) => {
        serving.applyTo(config, { generated, isGeneratedOwn });
        return config.secureServing?.areCertificatesOwn;
      }),
    );
    expect(own).toEqual([false, false, false, true]);
  });

  it('refuses a key that is not the certificate’s', () => {
    const options = Object.assign(new SecureServingOptions(), {
      certFile: file('tls.crt', authority.certificate),
      privateKeyFile: file('tls.key', makeTestCertificate({ commonName: 'other' }).key),
    });
    expect(() => options.applyTo(newConfig().config)).toThrow('tls: private key does not match public key');
  });
});

describe('AuthenticationOptions', () => {
  it('makes the authenticator of the files', async () => {
    const options = Object.assign(new AuthenticationOptions(), {
      clientCAFile: file('ca.crt', authority.certificate),
      tokenAuthFile: file('tokens.csv', 't,carol,1\n'),
    });
    const { config } = newConfig();
    expect((await options.applyTo(config)).clientCA?.contents).toEqual([authority.certificate]);
    const alice = makeTestCertificate({ commonName: 'alice', issuer: authority });
    const names = await Promise.all(
      [{ certificates: { chain: [alice.der], memo: new Map() } }, { headers: { authorization: 'Bearer t' } }, {}].map(
        async (request) => {
          const { exchange } = testAuthenticationExchange(request);
          return (await config.authenticator?.authenticateRequest(exchange))?.user.name;
        },
      ),
    );
    expect(names).toEqual(['alice', 'carol', 'system:anonymous']);
  });

  it('names the file that cannot be used', async () => {
    const missing = Object.assign(new AuthenticationOptions(), { clientCAFile: join(folder, 'none') });
    await expect(missing.applyTo(newConfig().config)).rejects.toThrow('unable to load client CA provider: open ');
    const empty = Object.assign(new AuthenticationOptions(), { clientCAFile: file('empty.crt', 'x') });
    await expect(empty.applyTo(newConfig().config)).rejects.toThrow(
      'data does not contain any valid RSA or ECDSA certificates',
    );
  });

  it('names the headers that state an identity', async () => {
    const options = new AuthenticationOptions();
    Object.assign(options.requestHeader, { clientCAFile: file('proxy.crt', authority.certificate) });
    Object.assign(options.requestHeader, { usernameHeaders: ['X-My-User'] });
    const [{ config }, { config: other }] = [newConfig(), newConfig()];
    await options.applyTo(config);
    await new AuthenticationOptions().applyTo(other);
    expect(['x-my-user', 'x-other'].map((name) => config.isIdentityHeader?.(name))).toEqual([true, false]);
    expect(other.isIdentityHeader).toBeUndefined();
  });

  it('names them in an extension server too', async () => {
    const options = new DelegatingAuthenticationOptions();
    Object.assign(options, { isKubeconfigOptional: true, skipLookup: true });
    const clientCAFile = file('proxy.crt', authority.certificate);
    Object.assign(options.requestHeader, { clientCAFile, usernameHeaders: ['X-My-User'] });
    const { config } = newConfig();
    await options.applyTo(config);
    expect(['x-my-user', 'x-other'].map((name) => config.isIdentityHeader?.(name))).toEqual([true, false]);
  });

  it.each([
    [5_000, 1],
    [10_000, 0],
    [0, 0],
  ])('warns of tokens of a webhook that are kept for %i ms only, %i times', async (cacheTtl, warnings) => {
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    };
    const options = new AuthenticationOptions();
    Object.assign(options.webhook, { configFile: file('hook.json', JSON.stringify(kubeconfig)), cacheTtl });
    const { config, lines } = newConfig();
    await options.applyTo(config);
    const about = lines.map(({ message }) => message).filter((message) => message.startsWith('the webhook cache ttl'));
    const text =
      'the webhook cache ttl of 5s is shorter than the overall cache ttl of 10s for successful token authentication attempts.';
    expect(about).toEqual(Array.from({ length: warnings }, () => text));
  });

  it('has no anonymous where everything is allowed', () => {
    const { logger, lines } = createTestLogger();
    const options = new AuthenticationOptions();
    options.applyAuthorization(Object.assign(new AuthorizationOptions(), { modes: ['AlwaysDeny'] }), logger);
    expect(options.anonymous).toBe(true);
    const authorization = new AuthorizationOptions();
    authorization.complete();
    options.applyAuthorization(authorization, logger);
    expect([options.anonymous, lines.map(({ message }) => message)]).toEqual([
      false,
      [
        'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
      ],
    ]);
  });
});

describe('AuthorizationOptions', () => {
  it('replaces the default by the flag, and creates the authorizer', async () => {
    const options = new AuthorizationOptions();
    const sets = new NamedFlagSets();
    options.addFlags(sets.section('authorization'));
    sets.parse(['--authorization-mode=AlwaysDeny']);
    expect(options.validate()).toEqual([]);
    const { config } = newConfig();
    options.complete();
    await options.applyTo(config);
    const attributes = {
      user: { name: 'a', groups: [], extra: {} },
      verb: 'get',
      readOnly: true,
      isResourceRequest: false,
    };
    const empty = { apiGroup: '', apiVersion: '', namespace: '', resource: '', subresource: '', name: '', path: '/' };
    expect(await config.authorizer?.authorize({ ...attributes, ...empty })).toMatchObject({ decision: 'NoOpinion' });
  });

  it('reports errors', () => {
    const options = Object.assign(new AuthorizationOptions(), { modes: ['RBAC', 'X'] });
    expect(messages(options.validate())).toEqual([
      'authorization-mode "RBAC" is not available in this server yet',
      'authorization-mode "X" is not a valid mode',
    ]);
  });
});
