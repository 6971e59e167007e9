import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import type { ServerIdentity } from '@apiserver/bootstrap-pki';
import type { KeyValueStore } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { SharedContext } from './shared-context.js';
import { startKubeApiserver } from './start-kube-apiserver.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'shared-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'sec1', format: 'pem' })
    .toString();
}

const identity = (keyFile: string) => ({ servingFiles: { keyFile } }) as ServerIdentity;

it('makes keys and certificates once for each set of options', async () => {
  const shared = new SharedContext();
  const made: string[] = [];
  const ensure = (name: string) => async () => {
    made.push(name);
    return identity(dataDirectory);
  };
  await shared.identity({ directory: 'a' }, ensure('first'));
  await shared.identity({ directory: 'a' }, ensure('second'));
  await shared.identity({ directory: 'b' }, ensure('third'));
  expect(made).toEqual(['first', 'third']);
});

it('reads the keys of equal texts once, and keeps those of the newest eight', () => {
  const { tokenKeys } = new SharedContext();
  const [first = '', ...others] = Array.from({ length: 9 }, newKey);
  const read = (pem: string) => [tokenKeys.signingKey(pem), tokenKeys.verificationKeys(pem)] as const;
  const [signing, verification] = read(first);
  expect([signing.equals(createPrivateKey(first)), verification]).toMatchObject([true, [{ algorithm: 'ES256' }]]);
  expect(read(first).map((keys, at) => keys === [signing, verification][at])).toEqual([true, true]);
  for (const pem of others) read(pem);
  expect(read(first).map((keys, at) => keys === [signing, verification][at])).toEqual([false, false]);
  expect(() => tokenKeys.signingKey('none')).toThrow('data does not contain a valid RSA or ECDSA private key');
});

it('makes one signer for each key', () => {
  const { tokenKeys } = new SharedContext();
  const [key, other] = [tokenKeys.signingKey(newKey()), tokenKeys.signingKey(newKey())];
  const signer = tokenKeys.signer(key);
  expect([tokenKeys.signer(key) === signer, tokenKeys.signer(other) === signer]).toEqual([true, false]);
});

it('reads the certificates of equal texts once, and judges each pair by itself', () => {
  const { certificates } = new SharedContext();
  const [first, second] = [makeTestCertificate({ commonName: 'first' }), makeTestCertificate({ commonName: 'second' })];
  const [one, both] = [first.certificate, first.certificate + second.certificate];
  expect(certificates.bundle(both).map(({ commonName }) => commonName)).toEqual(['first', 'second']);
  expect(certificates.bundle(both)).toBe(certificates.bundle(both));
  expect(certificates.bundle(one)).toHaveLength(1);
  const mismatch = 'tls: private key does not match public key';
  const pairs = [
    [first, first],
    [first, second],
    [second, second],
  ] as const;
  const judged = () => pairs.map(([{ certificate }, { key }]) => certificates.keyPairFault(certificate, key));
  expect([judged(), judged()]).toEqual([
    [undefined, mismatch, undefined],
    [undefined, mismatch, undefined],
  ]);
});

it('makes them again when their files are gone, and after a failure', async () => {
  const shared = new SharedContext();
  await shared.identity({}, async () => identity(join(dataDirectory, 'gone')));
  await expect(shared.identity({}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const made = identity(dataDirectory);
  expect(await shared.identity({}, async () => made)).toBe(made);
});

it('servers of one folder have the same files', async () => {
  const shared = new SharedContext();
  const start = () => startKubeApiserver({ dataDirectory, storageBackend: 'memory', shared });
  await (await start()).stop();
  const files = readdirSync(join(dataDirectory, 'pki'));
  await using _server = await start();
  expect([files.includes('apiserver.key'), readdirSync(join(dataDirectory, 'pki'))]).toEqual([true, files]);
});

it('gives servers with the same place the same options, and keeps few', () => {
  const shared = new SharedContext();
  const optionsAt = (place: string) => shared.options(place, () => new KubeApiserverOptions());
  const first = optionsAt('0');
  expect([optionsAt('0') === first, optionsAt('1') === first]).toEqual([true, false]);
  for (let place = 2; place < 8; place++) optionsAt(String(place));
  expect(optionsAt('0')).toBe(first);
  const second = optionsAt('1');
  // The one that was not asked for the longest time goes.
  optionsAt('8');
  expect([optionsAt('0') === first, optionsAt('1') === second]).toEqual([true, true]);
  for (let place = 9; place < 16; place++) optionsAt(String(place));
  expect(optionsAt('0') === first).toBe(false);
});

it('keeps no invalid options', () => {
  const shared = new SharedContext();
  const fail = () => {
    throw new Error('no');
  };
  expect(() => shared.options('a', fail)).toThrow('no');
  expect(shared.options('a', () => new KubeApiserverOptions())).toBeInstanceOf(KubeApiserverOptions);
});

it('completes options for the first server alone; other flags are other options, and files are read again', async () => {
  const shared = new SharedContext();
  const options = vi.spyOn(shared, 'options');
  const start = async (...flags: readonly string[]) => {
    await using _ = await startKubeApiserver({ dataDirectory, storage: createMemoryStore(), shared, flags });
  };
  const file = join(dataDirectory, 'tokens.csv');
  writeFileSync(file, '');
  await start();
  await start('--external-hostname=other.example.com');
  await start();
  await start(`--token-auth-file=${file}`);
  const results = options.mock.results.map(({ value }) => value as KubeApiserverOptions);
  expect(results.map(({ generic }) => generic.externalHost)).toEqual(['', 'other.example.com', '']);
  expect(results.map((result) => result === results[0] && Object.isFrozen(result))).toEqual([true, false, true]);
});

it('shares the options of servers without any flags', async () => {
  const shared = new SharedContext();
  const options = vi.spyOn(shared, 'options');
  for (let started = 0; started < 2; started++) {
    await using _ = await startKubeApiserver({ dataDirectory, storage: createMemoryStore(), shared });
  }
  const [first, second] = options.mock.results.map(({ value }) => value as KubeApiserverOptions);
  expect([first instanceof KubeApiserverOptions, first === second]).toEqual([true, true]);
});

describe('the objects of a start', () => {
  const root = '/registry';
  const aggregationRule = { clusterRoleSelectors: [] };

  /** Keeps the objects of a start with these roles; returns their keys, or undefined if none are kept. */
  async function kept(objects: Readonly<Record<string, object>>, fill?: (store: KeyValueStore) => Promise<void>) {
    await using store = createMemoryStore();
    for (const [key, object] of Object.entries(objects)) await put(store, key, object, 0);
    const shared = new SharedContext();
    shared.starting(store, { fingerprint: 'f', objects: undefined });
    await Promise.all([shared.started(store, root), fill?.(store)]);
    return shared.firstObjects('f')?.map(({ key }) => key);
  }

  async function put(store: KeyValueStore, key: string, object: object, expectedRevision: number) {
    const value = Buffer.from(JSON.stringify(object));
    await store.commit({ type: 'put', key: `${root}/${key}`, value, expectedRevision });
  }

  it.each<[string, Readonly<Record<string, object>>, boolean]>([
    ['of roles with their rules', { 'clusterroles/a': { aggregationRule, rules: [{ verbs: ['get'] }] } }, true],
    ['of roles that no other role fills', { 'clusterroles/a': { rules: null } }, true],
    ['of roles with a null instead', { 'clusterroles/a': { aggregationRule: null } }, true],
    ['of other kinds', { 'roles/a': { aggregationRule, rules: [] } }, true],
    ['but none of roles without rules', { 'clusterroles/a': { aggregationRule } }, false],
    ['but none of roles with null', { 'clusterroles/a': { aggregationRule, rules: null } }, false],
    ['but none of roles with empty rules', { 'clusterroles/a': { aggregationRule, rules: [] } }, false],
    [
      'but none while one of two roles is empty',
      { 'clusterroles/a': { rules: [] }, 'clusterroles/b': { aggregationRule, rules: [] } },
      false,
    ],
  ])('are kept, %s', async (_, objects, isKept) => {
    expect(await kept(objects)).toEqual(isKept ? Object.keys(objects) : undefined);
  });

  it('are kept as soon as their roles have rules', async () => {
    const fill = async (store: KeyValueStore) => {
      const { kv } = await store.get(`${root}/clusterroles/a`);
      await put(store, 'clusterroles/a', { aggregationRule, rules: [{}] }, kv?.modRevision ?? 0);
    };
    expect(await kept({ 'clusterroles/a': { aggregationRule, rules: [] } }, fill)).toEqual(['clusterroles/a']);
  });

  it('are not kept of a store that was not empty', async () => {
    await using store = createMemoryStore();
    const shared = new SharedContext();
    await shared.started(store, root);
    expect([shared.firstObjects('f'), shared.knownObjects(store)()]).toEqual([undefined, undefined]);
  });

  it('are those of the build, if the server took them', async () => {
    await using store = createMemoryStore();
    const shared = new SharedContext();
    const objects = [{ key: 'roles/a', text: '{}' }];
    shared.starting(store, { fingerprint: 'f', objects });
    await shared.started(store, root);
    expect([shared.firstObjects('f'), shared.firstObjects('g')]).toEqual([objects, undefined]);
    const forks = shared.objectsOfForks();
    shared.shareObjects(store, forks);
    expect(shared.knownObjects(store)()).toBe(forks);
  });

  it('include the policy of prepared stores alone', () => {
    const shared = new SharedContext();
    const [store, other] = [createMemoryStore(), createMemoryStore()];
    shared.prepared(store);
    expect([shared.hasPolicy(store), shared.hasPolicy(other)]).toEqual([true, false]);
  });
});
