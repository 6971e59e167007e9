import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadKubeconfig } from './load-kubeconfig.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfig(cluster: object, user: object = {}, currentContext = 'here'): string {
  return JSON.stringify({
    'current-context': currentContext,
    contexts: [{ name: 'here', context: { cluster: 'core', user: 'me' } }],
    clusters: [{ name: 'core', cluster }],
    users: [{ name: 'me', user }],
  });
}

const load = (text: string, now = () => 0) => loadKubeconfig(file('config', text), now);
const server = 'https://10.0.0.1:6443';

describe('loadKubeconfig', () => {
  it('takes embedded certificates', () => {
    const config = load(
      kubeconfig(
        { server, 'certificate-authority-data': base64('CA'), 'tls-server-name': 'core' },
        { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      ),
    );
    expect([String(config.server), config.transport(), config.credentials()]).toEqual([
      'https://10.0.0.1:6443/',
      { ca: 'CA', certificate: 'CERT', key: 'KEY', verify: true, serverName: 'core', connectTimeout: 30_000 },
      {},
    ]);
    expect(config.transport()).toBe(config.transport());
  });

  it('follows files, whose paths start at its folder', () => {
    let now = 0;
    file('ca.crt', 'CA');
    file('token', 'secret\n');
    const config = load(kubeconfig({ server, 'certificate-authority': 'ca.crt' }, { tokenFile: 'token' }), () => now);
    expect([config.transport().ca, config.credentials()]).toEqual(['CA', { authorization: 'Bearer secret' }]);
    file('ca.crt', 'CA 2');
    file('token', 'secret 2');
    now = 1_000;
    expect([config.transport().ca, config.credentials()]).toEqual(['CA 2', { authorization: 'Bearer secret' }]);
    now = 50_000;
    expect(config.credentials()).toEqual({ authorization: 'Bearer secret 2' });
    rmSync(join(folder, 'ca.crt'));
    now = 60_000;
    expect(config.transport().ca).toBe('CA 2');
  });

  it.each<[string, object, object]>([
    ['a token', { token: 't' }, { authorization: 'Bearer t' }],
    ['a password', { username: 'u', password: 'p' }, { authorization: `Basic ${base64('u:p')}` }],
    [
      'another user',
      { token: 't', as: 'alice', 'as-uid': 'u1', 'as-groups': ['a', 'b'], 'as-user-extra': { 'x/y': ['z'] } },
      {
        authorization: 'Bearer t',
        'impersonate-user': 'alice',
        'impersonate-uid': 'u1',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-x%2Fy': ['z'],
      },
    ],
  ])('proves %s', (_, user, headers) => {
    expect(load(kubeconfig({ server }, user)).credentials()).toEqual(headers);
  });

  it('acts as another user without more', () => {
    const { credentials } = load(kubeconfig({ server }, { as: 'alice' }));
    expect(credentials()).toEqual({ 'impersonate-user': 'alice' });
  });

  it('reads a certificate and its key from files', () => {
    file('me.crt', 'CERT');
    file('me.key', 'KEY');
    const config = load(kubeconfig({ server }, { 'client-certificate': 'me.crt', 'client-key': 'me.key' }));
    expect(config.transport()).toMatchObject({ certificate: 'CERT', key: 'KEY' });
  });

  it('ignores empty fields', () => {
    const user = { token: '', tokenFile: '', username: 'u', password: 'p' };
    expect(load(kubeconfig({ server }, user)).credentials()).toEqual({ authorization: `Basic ${base64('u:p')}` });
    const names = ['certificate-authority', 'certificate-authority-data', 'tls-server-name', 'proxy-url'];
    const cluster = { server, ...Object.fromEntries(names.map((name) => [name, ''])) };
    expect(load(kubeconfig(cluster)).transport()).toEqual({
      ca: '',
      certificate: '',
      key: '',
      verify: true,
      connectTimeout: 30_000,
    });
  });

  it('does not verify a server where it need not', () => {
    const verified = [true, false].map(
      (skip) => load(kubeconfig({ server, 'insecure-skip-tls-verify': skip })).transport().verify,
    );
    expect(verified).toEqual([false, true]);
  });

  it.each<[string, object, object, string]>([
    ['without authority', { server: 'h:1' }, {}, 'http://h:1/'],
    ['with an authority', { server: 'h:1', 'certificate-authority-data': base64('CA') }, {}, 'https://h:1/'],
    ['without verification', { server: '[::1]:80', 'insecure-skip-tls-verify': true }, {}, 'https://[::1]:80/'],
    [
      'with a certificate',
      { server: 'h' },
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      'https://h/',
    ],
  ])('reads a host without a scheme, %s', (_, cluster, user, expected) => {
    expect(String(load(kubeconfig(cluster, user)).server)).toBe(expected);
  });

  it('shows no credentials without TLS', () => {
    expect(load(kubeconfig({ server: 'http://10.0.0.1' }, { token: 't' })).credentials()).toEqual({});
  });

  it.each<[string, string, string]>([
    [
      'nothing',
      '{}',
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    ],
    ['a cluster without fields', kubeconfig({}), 'invalid configuration: no server found for cluster "core"'],
    [
      'a cluster without name and server',
      JSON.stringify({ clusters: [{ name: '', cluster: { 'tls-server-name': 'x' } }] }),
      'invalid configuration: default cluster has no server defined',
    ],
    [
      'a proxy',
      kubeconfig({ server, 'proxy-url': 'http://p' }),
      `invalid configuration: the 'proxy-url' of cluster "core" is not supported by this server`,
    ],
    [
      'files that are embedded too',
      kubeconfig(
        { server },
        {
          'client-certificate': '/c',
          'client-certificate-data': base64('CERT'),
          'client-key': '/k',
          'client-key-data': base64('KEY'),
        },
      ),
      'invalid configuration: [client-cert-data and client-cert are both specified for me. client-cert-data will override., client-key-data and client-key are both specified for me; client-key-data will override, unable to read client-cert /c for me due to open /c: no such file or directory, unable to read client-key /k for me due to open /k: no such file or directory]',
    ],
    [
      'an auth provider',
      kubeconfig({ server }, { 'auth-provider': { name: 'x' } }),
      'invalid configuration: the plugin of user "me" is not supported by this server',
    ],
    [
      'a uid of nobody',
      kubeconfig({ server }, { 'as-uid': 'a' }),
      'invalid configuration: requesting uid, groups or user-extra for me without impersonating a user',
    ],
    [
      'an unknown context',
      kubeconfig({ server }, {}, 'there'),
      'invalid configuration: [context was not found for specified context: there, cluster has no server defined]',
    ],
    ['a host with a path', kubeconfig({ server: 'h:1/p' }), 'host must be a URL or a host:port pair: "h:1/p"'],
    ['a host with a wrong port', kubeconfig({ server: 'h:x' }), 'parse "http://h:x": invalid port ":x" after host'],
    [
      'a cluster without a server',
      kubeconfig({ 'tls-server-name': 'x' }),
      'invalid configuration: no server found for cluster "core"',
    ],
    [
      'two authorities',
      kubeconfig({ server, 'certificate-authority': '/nowhere', 'certificate-authority-data': base64('CA') }),
      'invalid configuration: [certificate-authority-data and certificate-authority are both specified for core. certificate-authority-data will override., unable to read certificate-authority /nowhere for core due to open /nowhere: no such file or directory]',
    ],
    [
      'a certificate without a key',
      kubeconfig({ server }, { 'client-certificate-data': base64('CERT') }),
      'invalid configuration: client-key-data or client-key must be specified for me to use the clientCert authentication method.',
    ],
    [
      'two methods',
      kubeconfig({ server }, { token: 't', username: 'u' }),
      'invalid configuration: more than one authentication method found for me; found [token basicAuth], only one is allowed',
    ],
    [
      'groups of nobody',
      kubeconfig({ server }, { 'as-groups': ['a'] }),
      'invalid configuration: requesting uid, groups or user-extra for me without impersonating a user',
    ],
    [
      'extra fields of nobody',
      kubeconfig({ server }, { 'as-user-extra': { a: ['b'] } }),
      'invalid configuration: requesting uid, groups or user-extra for me without impersonating a user',
    ],
    [
      'a server of another scheme',
      kubeconfig({ server: 'wshttps://10.0.0.1' }),
      'invalid configuration: server "wshttps://10.0.0.1" of cluster "core" must be a URL with the scheme http or https',
    ],
    [
      'a plugin',
      kubeconfig({ server }, { exec: { command: 'x' } }),
      'invalid configuration: the plugin of user "me" is not supported by this server',
    ],
  ])('refuses %s', (_, text, message) => {
    expect(() => load(text)).toThrow(new Error(message));
  });

  // The messages are those of k8s.io/client-go v0.36.6, but for the entries that it prints after "in list".
  it.each<[string, string]>([
    ['a: [', 'yaml: line 1: did not find expected node content'],
    [
      'clusters: [{name: a, cluster: {server: 1}}]',
      'json: cannot unmarshal number into Go struct field Cluster.clusters.cluster.server of type string',
    ],
    ['clusters: 5', 'json: cannot unmarshal number into Go struct field Config.clusters of type []v1.NamedCluster'],
    ['kind: Pod', 'no kind "Pod" is registered for version "v1" in scheme "tools/clientcmd/api/latest/latest.go:50"'],
    ['apiVersion: v2', 'no kind "Config" is registered for version "v2" in scheme'],
    [
      'users: [{name: a}, {name: a}]',
      'error converting *[]NamedAuthInfo into *map[string]*api.AuthInfo: duplicate name "a" in list',
    ],
    ['users: [{name: a, user: {client-key-data: "!!"}}]', 'illegal base64 data at input byte 0'],
  ])('refuses to decode %j', (text, message) => {
    expect(() => load(text)).toThrow(`error loading config file "${join(folder, 'config')}": ${message}`);
  });

  it('may have unknown fields, and no kind', () => {
    const text = JSON.stringify({ ...JSON.parse(kubeconfig({ server, more: 1 })), other: 1, kind: '' });
    expect(String(load(text).server)).toBe('https://10.0.0.1:6443/');
  });

  it('says which file is missing', () => {
    expect(() => loadKubeconfig('/nowhere/config', () => 0)).toThrow('stat /nowhere/config: no such file or directory');
  });
});
