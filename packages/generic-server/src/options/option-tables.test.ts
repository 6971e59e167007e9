import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type GenericServerConfig, newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import { reviewVersionOf } from '../webhooks/review-webhook.js';
import { AuthenticationOptions } from './authentication-options.js';
import { AuthorizationOptions } from './authorization-options.js';
import { EgressSelectorOptions } from './egress-selector-options.js';
import { anonymousRequests, loadAuthenticationConfig } from './load-authentication-config.js';
import { OidcOptions } from './oidc-options.js';
import { ProfilingOptions } from './profiling-options.js';
import { RecommendedOptions } from './recommended-options.js';
import { SecureServingOptions } from './secure-serving-options.js';
import { ServerRunOptions } from './server-run-options.js';
import { validateBackoff } from './validate-backoff.js';

const folder = mkdtempSync(join(tmpdir(), 'option-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function newConfig(): GenericServerConfig {
  const { logger } = createTestLogger();
  return newGenericServerConfig(newServerContext({ logger }));
}

const messages = (errors: readonly Error[]) => errors.map(({ message }) => message);

/** A value that is no default, by type. */
const SAMPLES: Readonly<Record<string, string>> = {
  duration: '77s',
  int: '77',
  ip: '192.0.2.77',
  string: 'some',
  strings: 'some',
  int32Slice: '23',
  namedCertKey: 'some.crt,some.key',
};

describe('the flags of an extension server', () => {
  const flagsOf = () => new RecommendedOptions().flagSets().all();

  it.each(flagsOf().map(({ name, value }) => [name, value.typeName, String(value)] as const))(
    '--%s has a text, and writes a field of its own',
    (name, type, before) => {
      const sample = type === 'bool' ? String(before !== 'true') : SAMPLES[type];
      const options = new RecommendedOptions();
      const sets = options.flagSets();
      sets.parse([`--${name}=${sample}`]);
      const changed = sets.all().filter(({ value }, i) => String(value) !== String(flagsOf()[i]?.value));
      expect(changed.map((flag) => flag.name)).toEqual([name]);
      expect(changed[0]?.usage.length).toBeGreaterThan(19);
      const again = options.flagSets().all();
      expect(String(again.find((flag) => flag.name === name)?.value)).not.toBe(before);
    },
  );

  it('are in three sections', () => {
    const sections = [...new RecommendedOptions().flagSets().sections()].map(([section, set]) => [
      section,
      set.flags().map(({ name }) => name.split('-', 1)[0]),
    ]);
    expect(sections.map(([section]) => section)).toEqual(['secure serving', 'authentication', 'authorization']);
    expect(sections.map(([, names]) => names?.length)).toEqual([13, 11, 4]);
  });

  it('say what an optional kubeconfig means', () => {
    const usageOf = (isKubeconfigOptional: boolean) => {
      const options = new RecommendedOptions();
      Object.assign(options.authentication, { isKubeconfigOptional });
      Object.assign(options.authorization, { isKubeconfigOptional });
      const flags = options.flagSets().all();
      return flags.filter(({ name }) => name.endsWith('-kubeconfig')).map(({ usage }) => usage.split('. ').slice(2));
    };
    expect(usageOf(false)).toEqual([[], []]);
    expect(usageOf(true)).toEqual([
      ['Without it every token counts as anonymous, and the core server is not asked for authorities.'],
      ['Without it every request is forbidden that authorization does not skip.'],
    ]);
  });

  it('are refused together', () => {
    const parse = (...flags: readonly string[]) => RecommendedOptions.parse(flags);
    expect(parse('--secure-port=1').serving.securePort).toBe(1);
    const faults = ['--secure-port=-1', '--requestheader-username-headers=,x'];
    expect(() => parse(...faults)).toThrow(
      expect.objectContaining({
        name: 'StartupError',
        message:
          '[--secure-port -1 must be between 0 and 65535, inclusive, empty value in "requestheader-username-headers"]',
      }),
    );
  });
});

describe('ServerRunOptions', () => {
  it.each<[string, Partial<GenericServerConfig>]>([
    ['advertise-address=192.0.2.1', { externalAddress: '192.0.2.1' }],
    ['external-hostname=a.example', { externalAddress: 'a.example' }],
    ['strict-transport-security-directives=preload', { hstsDirectives: ['preload'] }],
    ['max-requests-inflight=7', { maxRequestsInFlight: 7 }],
    ['max-mutating-requests-inflight=7', { maxMutatingRequestsInFlight: 7 }],
    ['request-timeout=7s', { requestTimeout: 7_000 }],
    ['min-request-timeout=7', { minRequestTimeoutSeconds: 7 }],
    ['goaway-chance=0.01', { goawayChance: 0.01 }],
    ['livez-grace-period=7s', { livezGracePeriod: 7_000 }],
    ['storage-initialization-timeout=7s', { storageInitializationTimeout: 7_000 }],
    ['shutdown-delay-duration=7s', { shutdownDelayDuration: 7_000 }],
    ['shutdown-send-retry-after', { shutdownSendRetryAfter: true }],
    ['shutdown-watch-termination-grace-period=7s', { shutdownWatchTerminationGracePeriod: 7_000 }],
  ])('--%s', async (flag, expected) => {
    const options = new ServerRunOptions();
    const sets = new NamedFlagSets();
    options.addFlags(sets.section('generic'));
    expect(sets.all().filter(({ usage }) => usage.length < 20)).toEqual([]);
    sets.parse([`--${flag}`]);
    expect(options.validate()).toEqual([]);
    const [before, config] = [newConfig(), newConfig()];
    await new ServerRunOptions().applyTo(before);
    await options.applyTo(config);
    expect(config).toMatchObject(expected);
    expect(before).not.toMatchObject(expected);
    expect(before.isAllowedOrigin).toBeUndefined();
  });

  it('prefers the external host name', async () => {
    const config = newConfig();
    await Object.assign(new ServerRunOptions(), { externalHost: 'a', advertiseAddress: 'b' }).applyTo(config);
    expect(config.externalAddress).toBe('a');
  });

  it.each([
    ['max-age=1', true],
    ['max-age=', true],
    ['includeSubDomains', true],
    ['preload', true],
    ['max-age=1=2', false],
    ['xpreload', false],
    ['preloadx', false],
    [' ', false],
  ])('takes the directive %j: %s', (directive, isValid) => {
    const options = Object.assign(new ServerRunOptions(), { hstsDirectives: [directive] });
    expect(options.validate().length).toBe(isValid ? 0 : 1);
  });

  it('tells an empty directive from a wrong one', () => {
    const faultOf = (directive: string) =>
      messages(Object.assign(new ServerRunOptions(), { hstsDirectives: [directive] }).validate())[0]?.split(',', 1)[0];
    expect([' ', '', 'x'].map(faultOf)).toEqual([
      'empty value in strict-transport-security-directives',
      'empty value in strict-transport-security-directives',
      '--strict-transport-security-directives invalid',
    ]);
  });

  it.each([
    ['//a(:|$)', true],
    ['^https://a$', true],
    ['^a:', true],
    ['//a$', true],
    ['a$', false],
    ['^a', false],
    ['/a:', false],
    ['', false],
  ])('takes the origin %j: %s', (origin, isValid) => {
    const [fault, ...more] = messages(
      Object.assign(new ServerRunOptions(), { corsAllowedOrigins: [origin] }).validate(),
    );
    expect([fault === undefined, more]).toEqual([isValid, []]);
    if (origin === '') expect(fault).toMatch(/^empty value in --cors-allowed-origins, help: Comma-separated regular/);
  });
});

describe('SecureServingOptions', () => {
  const pair = makeTestCertificate({ commonName: 'own' });
  const named = makeTestCertificate({ commonName: 'named' });
  const files = () => ({ certFile: file('own.crt', pair.certificate), privateKeyFile: file('own.key', pair.key) });

  it.each([
    [-1, 1],
    [0, 0],
    [65_535, 0],
    [65_536, 1],
  ])('port %i has %i faults', (securePort, faults) => {
    expect(Object.assign(new SecureServingOptions(), { securePort }).validate().length).toBe(faults);
  });

  it.each([[{ certFile: '/a' }], [{ privateKeyFile: '/a' }], [{}]])('needs two files: %j', (fields) => {
    const options = Object.assign(new SecureServingOptions(), fields);
    expect(() => options.applyTo(newConfig())).toThrow(
      new Error('a certificate for HTTPS is needed: --tls-cert-file and --tls-private-key-file'),
    );
  });

  it('serves pairs for names, and follows them', async () => {
    const namedCertKeys = [
      { certFile: file('named.crt', named.certificate), keyFile: file('named.key', named.key), names: ['a'] },
    ];
    const options = Object.assign(new SecureServingOptions(), {
      ...files(),
      namedCertKeys,
      permitPortSharing: true,
      http2MaxStreamsPerConnection: 7,
      disableHttp2: true,
      http2Implementation: 'node',
    });
    const config = newConfig();
    const tls = options.applyTo(config);
    expect(tls).toMatchObject({
      certificate: pair.certificate,
      key: pair.key,
      clientCA: '',
      minVersion: 'TLSv1.2',
      named: [{ certificate: named.certificate, key: named.key, names: ['a'] }],
    });
    expect(config.secureServing).toMatchObject({
      address: '0.0.0.0',
      port: 443,
      sharePort: true,
      http2MaxStreamsPerConnection: 7,
      disableHttp2: true,
      http2Implementation: 'node',
      tls,
    });
    const stop = new AbortController();
    const changed = vi.fn<(tls: TlsMaterial) => void>();
    config.secureServing?.followTls?.(changed, stop.signal);
    const renewed = makeTestCertificate({ commonName: 'renewed' });
    file('named.crt', renewed.certificate);
    file('named.key', renewed.key);
    const names = [{ certificate: renewed.certificate, key: renewed.key, names: ['a'] }];
    await vi.waitFor(() => expect(changed.mock.lastCall).toEqual([{ ...tls, named: names }]), 30_000);
    stop.abort();
  });

  it('takes an unknown implementation for the own one', () => {
    const config = newConfig();
    Object.assign(new SecureServingOptions(), { ...files(), http2Implementation: 'x' }).applyTo(config);
    expect(config.secureServing?.http2Implementation).toBe('own');
  });

  it('names the pair for names that cannot be used', () => {
    const namedCertKeys = [{ certFile: '/none', keyFile: '/none', names: [] }];
    const options = Object.assign(new SecureServingOptions(), { ...files(), namedCertKeys });
    expect(() => options.applyTo(newConfig())).toThrow(/^failed to load SNI cert and key: .*\/none/);
  });
});

describe('AuthorizationOptions', () => {
  const CONFLICT =
    '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined';
  const parsed = (...args: readonly string[]) => {
    const options = new AuthorizationOptions(['RBAC']);
    const sets = new NamedFlagSets();
    options.addFlags(sets.section('authorization'));
    sets.parse(args.map((arg) => `--authorization-${arg}`));
    return options;
  };

  it.each<[readonly string[], readonly string[]]>([
    [[], []],
    [['mode=RBAC,AlwaysDeny'], []],
    [['config=/a'], []],
    [['config=/a', 'policy-file=/b'], []],
    [['config=/a', 'mode=RBAC'], [CONFLICT]],
    ...['config-file=/w', 'version=v1', 'cache-authorized-ttl=1s', 'cache-unauthorized-ttl=1s'].map(
      (flag): [string[], string[]] => [['config=/a', `webhook-${flag}`], [CONFLICT]],
    ),
    [['mode=Webhook', 'webhook-config-file=/w'], []],
  ])('%j', (args, faults) => {
    expect(messages(parsed(...args).validate())).toEqual(faults);
  });

  it('completes the mode only without a file', () => {
    const completed = (...args: readonly string[]) => {
      const options = parsed(...args);
      options.complete();
      return options.modes;
    };
    expect([completed(), completed('config=/a'), completed('mode=RBAC')]).toEqual([['AlwaysAllow'], [], ['RBAC']]);
  });

  it('plans the authorizers of flags, in order', async () => {
    const webhook = ['webhook-config-file=/w', 'webhook-version=v1', 'webhook-cache-authorized-ttl=0'];
    expect(await parsed('mode=RBAC,Webhook', ...webhook).plan()).toEqual({
      authorizers: [
        { type: 'RBAC', name: 'rbac' },
        {
          type: 'Webhook',
          name: 'default',
          webhook: {
            authorizedTtl: 0,
            cacheAuthorizedRequests: false,
            unauthorizedTtl: 30_000,
            cacheUnauthorizedRequests: true,
            timeout: 30_000,
            failurePolicy: 'NoOpinion',
            subjectAccessReviewVersion: 'v1',
            matchConditionSubjectAccessReviewVersion: '',
            matchConditions: [],
            connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/w' },
          },
        },
      ],
    });
    const { authorizers } = await parsed('mode=Webhook', 'webhook-cache-unauthorized-ttl=0').plan();
    expect(authorizers[0]?.webhook).toMatchObject({
      authorizedTtl: 300_000,
      cacheAuthorizedRequests: true,
      cacheUnauthorizedRequests: false,
      subjectAccessReviewVersion: 'v1beta1',
    });
  });
});

describe('AuthenticationOptions', () => {
  const one = makeTestCertificate({ commonName: 'one', authority: true }).certificate;
  const two = makeTestCertificate({ commonName: 'two', authority: true }).certificate;
  const OVERLAP =
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users';

  it.each<[string, string, readonly string[], number]>([
    [one, two, [], 0],
    [one, one, [], 1],
    [`${two}\n${one}`, one, [], 1],
    [one, `${two}\n${one}`, [], 1],
    [one, one, ['proxy'], 0],
    [one, 'nothing', [], 0],
  ])('refuses authorities that vouch for users and proxies: %#', (clients, proxies, allowedNames, faults) => {
    const options = new AuthenticationOptions();
    options.clientCAFile = file('clients.crt', clients);
    Object.assign(options.requestHeader, { clientCAFile: file('proxies.crt', proxies), allowedNames });
    expect(messages(options.validate())).toEqual(Array(faults).fill(OVERLAP));
    expect(messages(Object.assign(options, { clientCAFile: '/none' }).validate())).toEqual([]);
    expect(messages(Object.assign(options, { clientCAFile: '' }).validate())).toEqual([]);
  });

  it('notes whether a flag is about anonymous requests', () => {
    const parsed = (...args: readonly string[]) => {
      const options = new AuthenticationOptions();
      const sets = new NamedFlagSets();
      options.addFlags(sets.section('authentication'));
      sets.parse(args);
      return [options.anonymous, options.anonymousSet];
    };
    expect([parsed(), parsed('--anonymous-auth'), parsed('--anonymous-auth=false')]).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });

  it('allows anonymous requests as the file says', () => {
    const loaded = (anonymous?: object) => ({ configuration: { jwt: [], anonymous }, file: undefined }) as never;
    const flag = { allowed: true, isFlagSet: false };
    expect([
      anonymousRequests(undefined, flag),
      anonymousRequests(loaded(), { allowed: false, isFlagSet: true }),
      anonymousRequests(loaded({}), flag),
      anonymousRequests(loaded({ enabled: true, conditions: [{ path: '/a' }, {}] }), flag),
    ]).toEqual([
      { anonymous: true },
      { anonymous: false },
      { anonymous: false, anonymousPaths: [] },
      { anonymous: true, anonymousPaths: ['/a', ''] },
    ]);
    expect(() => anonymousRequests(loaded({ enabled: true }), { allowed: true, isFlagSet: true })).toThrow(
      expect.objectContaining({
        name: 'StartupError',
        message:
          'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
      }),
    );
  });

  it('names the configuration that cannot be read', async () => {
    await expect(loadAuthenticationConfig('/none', new OidcOptions())).rejects.toMatchObject({
      name: 'StartupError',
      message: 'failed to load authentication configuration from file "/none": open /none: no such file or directory',
    });
  });
});

describe('OidcOptions', () => {
  const of = (fields: Partial<OidcOptions>) => Object.assign(new OidcOptions(), fields);
  const TOGETHER = 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set';
  const EXCLUSIVE = 'authentication-config file and oidc-* flags are mutually exclusive';

  it.each<[Partial<OidcOptions>, boolean, readonly string[]]>([
    [{}, true, []],
    [{ flagsSet: true, issuerUrl: 'https://i', clientId: 'c' }, false, []],
    [{ flagsSet: true, issuerUrl: 'https://i', clientId: 'c' }, true, [EXCLUSIVE]],
    [{ flagsSet: true, issuerUrl: 'https://i' }, false, [TOGETHER]],
    [{ flagsSet: true, clientId: 'c' }, false, [TOGETHER]],
  ])('%j with a file, %s', (fields, hasFile, faults) => {
    expect(messages(of(fields).validate(hasFile))).toEqual(faults);
  });

  it('takes algorithms that tokens can have', () => {
    expect([of({}).algorithms(), of({ signingAlgorithms: [] }).algorithms()]).toEqual([['RS256'], ['RS256']]);
    expect(of({ signingAlgorithms: ['ES384', 'PS512'] }).algorithms()).toEqual(['ES384', 'PS512']);
    expect(() => of({ signingAlgorithms: ['ES256', 'HS256'] }).algorithms()).toThrow(
      expect.objectContaining({ name: 'StartupError', message: 'oidc: unsupported signing alg: "HS256"' }),
    );
  });

  it('reads the authority of the issuer', () => {
    const issuer = { issuerUrl: 'https://i', clientId: 'c' };
    const caFile = file('issuer.crt', 'PEM');
    expect(of({ ...issuer, caFile }).configuration()?.issuer).toEqual({
      url: 'https://i',
      audiences: ['c'],
      certificateAuthority: 'PEM',
    });
    expect(() => of({ ...issuer, caFile: '/none' }).configuration()).toThrow(
      expect.objectContaining({ name: 'StartupError', message: 'open /none: no such file or directory' }),
    );
  });
});

it('refuses a backoff without attempts', () => {
  const backoff = { duration: 1, factor: 1, jitter: 0 };
  expect([1, 0, -1].map((steps) => messages(validateBackoff({ ...backoff, steps })))).toEqual([
    [],
    ['number of webhook retry attempts must be greater than 1, but is: 0'],
    ['number of webhook retry attempts must be greater than 1, but is: -1'],
  ]);
});

it('knows the versions of reviews', () => {
  expect([reviewVersionOf('v1', 'a'), reviewVersionOf('v1beta1', 'a')]).toEqual(['v1', 'v1beta1']);
  expect(() => reviewVersionOf('v2', 'some webhook')).toThrow(
    expect.objectContaining({
      name: 'StartupError',
      message: 'unsupported some webhook version "v2", supported versions are "v1", "v1beta1"',
    }),
  );
});

it('finds the file of egress selectors', async () => {
  const of = (configFile: string) => Object.assign(new EgressSelectorOptions(), { configFile });
  expect([messages(of('').validate()), messages(of(folder).validate()), messages(of('/none').validate())]).toEqual([
    ...[[], [], ['egress-selector-config-file /none does not exist']],
  ]);
  const { logger } = createTestLogger();
  expect(await of('').create(newServerContext({ logger }))).toBeUndefined();
});

it('applies the options of profiles', () => {
  const [config, other] = [newConfig(), newConfig()];
  const flags = { v: () => '' };
  Object.assign(new ProfilingOptions(), { profiling: false, debugSocketPath: '/s' }).applyTo(config, flags);
  new ProfilingOptions().applyTo(other);
  expect([config.debugging, other.debugging]).toEqual([
    { profiling: false, socketPath: '/s', flags },
    { profiling: true, socketPath: '', flags: {} },
  ]);
});
