import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import {
  makeIssuerKey,
  makeTestCertificate,
  startTestIssuer,
  type TestIssuer,
  testAuthenticationExchange,
} from '@apiserver/authentication/testing';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { AuthenticationOptions } from '../options/authentication-options.js';

const folder = mkdtempSync(join(tmpdir(), 'authentication-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function issuerAt(): Promise<TestIssuer> {
  const issuer = await startTestIssuer();
  open.push(() => issuer[Symbol.asyncDispose]());
  return issuer;
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  // A reader never sees a part of the file.
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

function file(issuers: readonly TestIssuer[], more: object = {}): string {
  const jwt = issuers.map(({ url, authority }) => ({
    issuer: { url, audiences: ['client'], certificateAuthority: authority },
    claimMappings: { username: { expression: '"oidc:" + claims.sub' } },
  }));
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt,
    ...more,
  });
}

function parsed(...args: readonly string[]): AuthenticationOptions {
  const options = new AuthenticationOptions();
  const flags = new NamedFlagSets();
  options.addFlags(flags.section('authentication'));
  flags.parse(args);
  return options;
}

async function applied(...args: readonly string[]) {
  const options = parsed(...args);
  expect(options.validate()).toEqual([]);
  const { logger, lines } = createTestLogger();
  const config = newGenericServerConfig(newServerContext({ logger }));
  open.push(() => config.disposables.disposeAsync());
  await options.applyTo(config, { serverId: 'me' });
  const nameOf = async (token?: string, path = '/') => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { exchange } = testAuthenticationExchange({ headers });
    const request = { ...exchange.request, path };
    try {
      return (await config.authenticator?.authenticateRequest({ ...exchange, request }))?.user.name;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const metrics = async () =>
    (await config.metrics.expose()).text.split('\n').filter((line) => /^apiserver_authentication_config/.test(line));
  return { nameOf, lines, metrics };
}

const messages = (errors: readonly Error[]) => errors.map(({ message }) => message);

describe('an issuer by flags', () => {
  it('proves the users of its tokens', async () => {
    const issuer = await issuerAt();
    issuer.keys = [makeIssuerKey('k', 'RS256')];
    const common = [
      ...[`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=client'],
      `--oidc-ca-file=${write('ca.crt', issuer.authority)}`,
    ];
    const { nameOf } = await applied(...common, '--oidc-required-claim=hd=example.com');
    const token = issuer.token({ hd: 'example.com' });
    await vi.waitFor(async () => expect(await nameOf(token)).toBe(`${issuer.url}#alice`), 30_000);
    expect(await nameOf(issuer.token())).toBe('oidc: required claim hd not present in ID token');
    const { nameOf: other } = await applied(...common, '--oidc-username-claim=email', '--oidc-groups-claim=g');
    await vi.waitFor(async () => expect(await other(issuer.token({ email: 'a@b' }))).toBe('a@b'), 30_000);
    const { nameOf: third } = await applied(...common, '--oidc-username-prefix=-');
    await vi.waitFor(async () => expect(await third(token)).toBe('alice'), 30_000);
  });

  it.each<[string[], string[]]>([
    [[], []],
    [
      ['--oidc-issuer-url=https://x'],
      ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'],
    ],
    [
      ['--oidc-groups-claim=g'],
      ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'],
    ],
    [
      ['--authentication-config=f', '--oidc-issuer-url=https://x', '--oidc-client-id=y'],
      ['authentication-config file and oidc-* flags are mutually exclusive'],
    ],
  ])('needs its flags: %j', (args, expected) => {
    expect(messages(parsed(...args).validate())).toEqual(expected);
  });

  it('must be valid', async () => {
    await expect(applied('--oidc-issuer-url=http://x', '--oidc-client-id=y')).rejects.toThrow(
      'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "http://x": URL scheme must be https',
    );
    await expect(applied('--oidc-issuer-url=https://x', '--oidc-client-id=y', '--oidc-ca-file=/none')).rejects.toThrow(
      'open /none: no such file or directory',
    );
    await expect(
      applied('--oidc-issuer-url=https://x', '--oidc-client-id=y', '--oidc-signing-algs=RS256,HS256'),
    ).rejects.toThrow('oidc: unsupported signing alg: "HS256"');
  });

  it('signs by RS256 if no algorithm is named', () => {
    expect(parsed('--oidc-signing-algs=').oidc.algorithms()).toEqual(['RS256']);
    expect(parsed('--oidc-signing-algs=ES256,PS512').oidc.algorithms()).toEqual(['ES256', 'PS512']);
  });
});

describe('a configuration file', () => {
  it('must be readable, strict and valid', async () => {
    const refused = (name: string, text: string) => applied(`--authentication-config=${write(name, text)}`);
    const start = `failed to load authentication configuration from file "${folder}/`;
    await expect(applied('--authentication-config=/none')).rejects.toThrow(
      'failed to load authentication configuration from file "/none": open /none: no such file or directory',
    );
    await expect(refused('empty', '')).rejects.toThrow(`${start}empty": empty config data`);
    await expect(refused('strict', file([], { foo: 1 }))).rejects.toThrow(
      `${start}strict": strict decoding error: unknown field "foo"`,
    );
    await expect(refused('invalid', file([], { jwt: [{}] }))).rejects.toThrow(
      /^invalid authentication configuration: \[jwt\[0\]\.issuer\.url: Required value, /,
    );
  });

  it('limits anonymous requests to paths, and excludes the flag', async () => {
    const path = write('anonymous', file([], { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }));
    const { nameOf } = await applied(`--authentication-config=${path}`);
    expect([await nameOf(undefined, '/livez'), await nameOf(undefined, '/api')]).toEqual([
      'system:anonymous',
      undefined,
    ]);
    await expect(applied(`--authentication-config=${path}`, '--anonymous-auth=true')).rejects.toThrow(
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  });

  it('is read again when it changes, and stays in use while the next one is broken', async () => {
    const [one, two] = [await issuerAt(), await issuerAt()];
    const path = write('reload', file([one]));
    const { nameOf, lines, metrics } = await applied(`--authentication-config=${path}`);
    await vi.waitFor(async () => expect(await nameOf(one.token())).toBe('oidc:alice'), 30_000);
    const logged = () =>
      lines.map(({ message, error }) => (error ? `${message}: ${(error as Error).message}` : message));

    write('reload', '{');
    await vi.waitFor(() => expect(logged().at(-1)).toMatch(/^failed to load authentication config: /), 30_000);
    write('reload', file([one], { anonymous: { enabled: true } }));
    await vi.waitFor(
      () =>
        expect(logged().at(-1)).toBe(
          'failed to validate authentication config: anonymous: Forbidden: changed from initial configuration file',
        ),
      30_000,
    );
    expect(await nameOf(one.token({ sub: 'bob' }))).toBe('oidc:bob');
    expect(await metrics()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\w+_automatic_reloads_total\{.*,status="failure"\} 2$/)]),
    );

    write('reload', file([two]));
    await vi.waitFor(() => expect(logged().at(-1)).toBe('reloaded authentication config'), 30_000);
    expect(await nameOf(two.token())).toBe('oidc:alice');
    expect(await nameOf(one.token({ sub: 'carol' }))).toBe('invalid bearer token');
    const series = await metrics();
    expect(series).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\w+_automatic_reloads_total\{apiserver_id_hash="sha256:\w+",status="success"\} 1$/),
        expect.stringMatching(/^\w+_last_timestamp_seconds\{.*,status="success"\} \d+/),
      ]),
    );
    expect(series.filter((line) => line.includes('last_config_info')).length).toBe(1);
  });
});

it('the authorities of proxies and of clients must differ, unless the names of proxies are given', () => {
  const ca = makeTestCertificate({ commonName: 'ca', authority: true }).certificate;
  const other = makeTestCertificate({ commonName: 'ca', authority: true }).certificate;
  const both = write('both.crt', `${other}\n${ca}`);
  const flags = [`--client-ca-file=${write('ca.crt', ca)}`, `--requestheader-client-ca-file=${both}`];
  expect(messages(parsed(...flags).validate())).toEqual([
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  ]);
  expect(parsed(...flags, '--requestheader-allowed-names=proxy').validate()).toEqual([]);
});
