import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupResource } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KmsPlugin, startKmsPlugin } from '../testing/encryption/kms-plugin.js';
import { type RecordingMetrics, recordingMetrics } from '../testing/encryption/recording-metrics.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { contentHashOf } from './configuration/load-configuration.js';
import { type Encryption, openEncryption } from './encryption.js';
import { loadTransformerSet, TransformerSet } from './transformer-set.js';

let resources: AsyncDisposableStack;
let folder: string;
let file: string;
let metrics: RecordingMetrics;
/** Messages that were logged as errors. */
let errors: string[];

beforeEach(() => {
  resources = new AsyncDisposableStack();
  folder = resources.use(temporaryDirectory()).path;
  file = join(folder, 'encryption.yaml');
  metrics = recordingMetrics();
  errors = [];
});
afterEach(() => resources.disposeAsync());

const HEAD = 'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources:\n';
const IDENTITY = '{identity: {}}';
const SECRETS = { group: '', resource: 'secrets' };
const KEY = '/registry/secrets/ns/a';

/** Keys by name; their bytes are derived from it. */
const keys = (...names: readonly string[]) =>
  `{keys: [${names.map((name) => `{name: ${name}, secret: "${Buffer.alloc(32, name).toString('base64')}"}`).join(', ')}]}`;
const gcm = (...names: readonly string[]) => `{aesgcm: ${keys(...names)}}`;
const cbc = (...names: readonly string[]) => `{aescbc: ${keys(...names)}}`;
const box = (...names: readonly string[]) => `{secretbox: ${keys(...names)}}`;
const kms = (name: string, timeout = '3s') =>
  `{kms: {apiVersion: v2, name: ${name}, endpoint: "unix://${folder}/${name}.sock", timeout: ${timeout}}}`;
const entry = (names: string, ...providers: readonly string[]) =>
  `- {resources: [${names}], providers: [${providers.join(', ')}]}\n`;

const plugin = async (name: string): Promise<KmsPlugin> =>
  resources.use(await startKmsPlugin(`${folder}/${name}.sock`));

async function open(entries: string, reload = false): Promise<Encryption> {
  writeFileSync(file, HEAD + entries);
  const logger = {
    ...silentLogger,
    error: (error: unknown, message: string) => void errors.push(`${message}: ${error}`),
  };
  const options = { file, reload, clock: systemClock, logger, metrics };
  return resources.use(await openEncryption(options));
}

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: Error) => error.message.replaceAll(folder, ''),
  );

const write = (to: Encryption, text: string, resource: GroupResource = SECRETS): Uint8Array =>
  to.transformerFor(resource).toStorage(Buffer.from(text), KEY);

async function read(from: Encryption, stored: Uint8Array, key = KEY): Promise<string> {
  const { bytes, stale } = await from.transformerFor(SECRETS).fromStorage(stored, key);
  return `${Buffer.from(bytes)}${stale ? ' (stale)' : ''}`;
}

const readFailure = (...parameters: Parameters<typeof read>) => failure((async () => await read(...parameters))());
/** Everything before the encrypted bytes. */
const prefixOf = (stored: Uint8Array) =>
  /^k8s:enc:(?:kms:v2|\w+:v1):\w+:/.exec(Buffer.from(stored).toString('latin1'))?.[0];

describe('a written value', () => {
  it.each([
    [gcm('a', 'b'), 'k8s:enc:aesgcm:v1:a:'],
    [cbc('a'), 'k8s:enc:aescbc:v1:a:'],
    [box('a'), 'k8s:enc:secretbox:v1:a:'],
    [IDENTITY, undefined],
  ])('begins with who has written it: %s', async (provider, prefix) => {
    const at = await open(entry('secrets', provider));
    const stored = write(at, '{"s":"plain"}');
    expect(prefixOf(stored)).toBe(prefix);
    expect(Buffer.from(stored).includes('plain')).toBe(prefix === undefined);
    expect(await read(at, stored)).toBe('{"s":"plain"}');
  });

  it('begins with the name of the plugin', async () => {
    await plugin('p');
    const at = await open(entry('secrets', kms('p')));
    const stored = write(at, 'text');
    expect(prefixOf(stored)).toBe('k8s:enc:kms:v2:p:');
    expect(await read(at, stored)).toBe('text');
  });
});

it('counts a value that is read as it is as identity', async () => {
  const at = await open(entry('secrets', IDENTITY, gcm('a')));
  const stored = write(await open(entry('secrets', gcm('a'))), 'text');
  metrics.lines.length = 0;
  await read(at, write(at, 'text'));
  await read(at, stored);
  expect(metrics.lines).toEqual([
    'transformed secrets to_storage  OK',
    'transformed secrets from_storage identity OK',
    'transformed secrets from_storage a: OK',
    'transformed secrets from_storage k8s:enc:aesgcm:v1: OK',
  ]);
});

describe('rotation', () => {
  it('reads values of any provider, and reports those not of the first key as stale', async () => {
    const stored = {
      a: write(await open(entry('secrets', gcm('a'))), 'text'),
      b: write(await open(entry('secrets', gcm('b'))), 'text'),
      c: write(await open(entry('secrets', cbc('c'))), 'text'),
      none: Buffer.from('text'),
    };
    const at = await open(entry('secrets', gcm('b', 'a'), cbc('c'), IDENTITY));
    expect([
      await read(at, stored.a),
      await read(at, stored.b),
      await read(at, stored.c),
      await read(at, stored.none),
    ]).toEqual(['text (stale)', 'text', 'text (stale)', 'text (stale)']);
  });

  it('removes the encryption when identity is the first provider', async () => {
    const stored = write(await open(entry('secrets', gcm('a'))), 'text');
    const at = await open(entry('secrets', IDENTITY, gcm('a')));
    expect([await read(at, stored), await read(at, Buffer.from('text'))]).toEqual(['text (stale)', 'text']);
    expect(Buffer.from(write(at, 'text')).toString()).toBe('text');
  });

  it('tries providers of the same kind in order', async () => {
    const stored = write(await open(entry('secrets', cbc('b'))), 'text');
    const at = await open(entry('secrets', cbc('a'), cbc('b')));
    expect(await read(at, stored)).toBe('text (stale)');
  });

  it('reads with every provider that any entry lists for a resource', async () => {
    const stored = write(await open(entry('secrets', gcm('b'))), 'text');
    const at = await open(entry('secrets', gcm('a')) + entry('configmaps, secrets', gcm('b')));
    expect(await read(at, stored)).toBe('text (stale)');
  });
});

describe('an unreadable value', () => {
  it('reports the reason', async () => {
    const stored = write(await open(entry('secrets', gcm('a'))), 'text');
    const elsewhere = await open(entry('secrets', gcm('b')));
    expect(await readFailure(elsewhere, stored)).toBe('no matching key was found for the provided AES transformer');
    expect(await readFailure(await open(entry('secrets', box('a'))), stored)).toBe('no matching prefix found');
    expect(await readFailure(await open(entry('configmaps', gcm('a'))), stored)).toBe(
      'identity transformer tried to read encrypted data',
    );
    expect(await readFailure(elsewhere, Buffer.from('plain'))).toBe('no matching prefix found');
    const same = await open(entry('secrets', gcm('a')));
    expect(await readFailure(same, stored, '/registry/secrets/ns/b')).toBe('cipher: message authentication failed');
    const boxed = write(await open(entry('secrets', box('a'))), 'text');
    await expect(read(await open(entry('secrets', box('b'))), boxed)).rejects.toThrow(
      'no matching key was found for the provided Secretbox transformer',
    );
    const twice = await open(entry('secrets', gcm('b'), gcm('c')));
    expect(await readFailure(twice, stored)).toBe('no matching key was found for the provided AES transformer');
    // A value that no provider recognises is not counted as a failure of one.
    expect(errors).toEqual([
      'failed to decrypt data: EncryptionError: no matching key was found for the provided AES transformer',
      'failed to decrypt data: EncryptionError: cipher: message authentication failed',
      'failed to decrypt data: EncryptionError: cipher: message authentication failed',
      'failed to decrypt data: EncryptionError: no matching key was found for the provided Secretbox transformer',
      'failed to decrypt data: EncryptionError: no matching key was found for the provided AES transformer',
    ]);
  });

  it('is counted, like every other', async () => {
    const at = await open(entry('secrets', gcm('a')));
    const stored = write(at, 'text');
    await read(at, stored);
    await readFailure(at, stored, 'other');
    await readFailure(at, Buffer.from('plain'));
    expect(metrics.lines.slice(1)).toEqual([
      'transformed secrets to_storage a: OK',
      'transformed secrets to_storage k8s:enc:aesgcm:v1: OK',
      'transformed secrets from_storage a: OK',
      'transformed secrets from_storage k8s:enc:aesgcm:v1: OK',
      'transformed secrets from_storage a: unknown-non-grpc',
      'transformed secrets from_storage k8s:enc:aesgcm:v1: unknown-non-grpc',
      'transformed secrets from_storage unknown unknown-non-grpc',
    ]);
  });
});

describe('resources', () => {
  const prefixes = (at: Encryption, names: readonly GroupResource[]) =>
    names.map((name) =>
      prefixOf(write(at, 'text', name))
        ?.split(':')
        .at(-2),
    );

  it('are encrypted by the rule for themselves, then for their group, then for all', async () => {
    const at = await open(
      entry('secrets, widgets.example.com', gcm('own')) +
        entry('"*.apps"', gcm('apps')) +
        entry('"*."', gcm('core')) +
        entry('"*.*"', gcm('all')),
    );
    const names = [
      SECRETS,
      { group: 'example.com', resource: 'widgets' },
      { group: 'apps', resource: 'deployments' },
      { group: '', resource: 'configmaps' },
      { group: 'events.k8s.io', resource: 'events' },
      { group: 'batch', resource: 'jobs' },
    ];
    expect(prefixes(at, names)).toEqual(['own', 'own', 'apps', 'core', 'core', 'all']);
  });

  it.each([
    [entry('"*."', IDENTITY) + entry('secrets', IDENTITY), 'resource "secrets" is masked by earlier rule "*."'],
    [entry('"*.apps"', IDENTITY) + entry('"*.apps"', IDENTITY), 'resource "*.apps" is masked by earlier rule "*.apps"'],
    [entry('"*.*"', IDENTITY) + entry('a.b', IDENTITY), 'resource "a.b" is masked by earlier rule "*.*"'],
    [entry('"*.*"', IDENTITY) + entry('"*."', IDENTITY), 'resource "*." is masked by earlier rule "*.*"'],
  ])('must not come after a rule for more: %#', async (entries, message) => {
    expect(await failure(open(entries))).toBe(`error while building transformers: ${message}`);
  });
});

describe('an unusable file', () => {
  it('is an error of the start', async () => {
    expect(await failure(open(entry('secrets')))).toBe(
      'error while parsing file: resources[0].providers: Required value: at least one resources[0].providers is required',
    );
    const v1 = '{kms: {name: p, endpoint: "unix:///s"}}';
    expect(await failure(open(entry('secrets', v1)))).toBe(
      'error while building transformers: KMSv1 is deprecated and will only receive security updates going forward. Use ' +
        'KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
    );
  });
});

describe('the plugins of a configuration', () => {
  const load = (entries: string) => {
    writeFileSync(file, HEAD + entries);
    const options = { clock: systemClock, logger: silentLogger, metrics };
    return loadTransformerSet({ file, reload: false }, options);
  };

  it('are closed if another part of it is unusable', async () => {
    const at = await plugin('p');
    const entries = entry('"*.*"', kms('p')) + entry('a.b', IDENTITY);
    await expect(load(entries)).rejects.toThrow('is masked by earlier rule');
    expect(at.count('Status')).toBe(1);
    await expect.poll(() => at.connections).toBe(0);
  });

  it('get twice the time of all their calls to end', async () => {
    await Promise.all([plugin('a'), plugin('b')]);
    const set = await load(entry('secrets', kms('a', '3s'), gcm('k')) + entry('configmaps', kms('b', '100ms')));
    expect([set.closeGracePeriod, set.plugins.length]).toEqual([6200, 2]);
    expect(set.transformerFor(SECRETS)).toBe(set.transformerFor({ ...SECRETS }));
    set.close();
  });

  it('are closed when that time is over after a change, or at the end', async () => {
    await Promise.all(['a', 'b', 'c'].map(plugin));
    const clock = new ManualClock();
    writeFileSync(file, HEAD + entry('secrets', kms('a')));
    const at = await openEncryption({ file, reload: true, clock, logger: silentLogger, metrics });
    const ended = new AbortController();
    at.follow?.(ended.signal);
    const closed = vi.spyOn(TransformerSet.prototype, 'close');
    resources.defer(() => closed.mockRestore());
    const change = async (name: string, changes: number) => {
      writeFileSync(`${file}.new`, HEAD + entry('secrets', kms(name)));
      renameSync(`${file}.new`, file);
      const swapped = () => {
        clock.advance(50);
        return metrics.lines.filter((line) => line === 'reloaded success').length;
      };
      await expect.poll(swapped).toBe(changes);
    };
    await change('b', 1);
    clock.advance(5900);
    expect(closed).not.toHaveBeenCalled();
    clock.advance(100);
    expect(closed).toHaveBeenCalledTimes(1);
    await change('c', 2);
    await at[Symbol.asyncDispose]();
    expect(closed).toHaveBeenCalledTimes(3);
    ended.abort();
    clock.advance(60_000);
    expect(closed).toHaveBeenCalledTimes(3);
  });
});

it('keeps no timer once it is open, or cannot be opened', async () => {
  using set = vi.spyOn(globalThis, 'setInterval');
  using clear = vi.spyOn(globalThis, 'clearInterval');
  await open(entry('secrets', IDENTITY));
  await failure(open(entry('secrets')));
  const timers = set.mock.results.map(({ value }) => value as unknown);
  expect(timers).toHaveLength(2);
  for (const timer of timers) expect(clear).toHaveBeenCalledWith(timer);
});

describe('health', () => {
  it('covers all plugins', async () => {
    await plugin('a');
    const at = await open(entry('secrets', kms('a'), kms('b', '100ms')));
    expect(at.checks.map(({ name }) => name)).toEqual(['kms-providers']);
    expect(await failure(at.checks[0]?.check() ?? Promise.resolve())).toMatch(
      /^kms-provider-1: failed to perform status section of the healthz check for KMS Provider b, error: rpc error/,
    );
  });

  it('is absent without plugins, unless a reload may add some', async () => {
    expect((await open(entry('secrets', gcm('a')))).checks).toEqual([]);
    const [check] = (await open(entry('secrets', gcm('a')), true)).checks;
    expect(check?.name).toBe('kms-providers');
    await expect(check?.check()).resolves.toBeUndefined();
  });
});

describe('a changed file', () => {
  function follow(at: Encryption): void {
    const ended = new AbortController();
    resources.defer(() => ended.abort());
    at.follow?.(ended.signal);
  }

  function replace(entries: string): void {
    writeFileSync(`${file}.new`, HEAD + entries);
    renameSync(`${file}.new`, file);
  }

  it('applies to existing transformers', async () => {
    const at = await open(entry('secrets', gcm('a')), true);
    follow(at);
    const transformer = at.transformerFor(SECRETS);
    const stored = write(at, 'text');
    replace(entry('secrets', gcm('b'), gcm('a')));
    const prefix = () => prefixOf(transformer.toStorage(Buffer.from('text'), KEY));
    await expect.poll(prefix).toBe('k8s:enc:aesgcm:v1:b:');
    expect(await read(at, stored)).toBe('text (stale)');
    expect(metrics.lines).toContain('reloaded success');
    expect(metrics.lines).toContain(`configured ${await contentHashOf(file)}`);
  });

  it('that is unusable changes nothing, is counted, and retried', async () => {
    const at = await open(entry('secrets', gcm('a')), true);
    follow(at);
    replace('nonsense');
    const failures = () => metrics.lines.filter((line) => line === 'reloaded failure').length;
    await expect.poll(failures).toBeGreaterThan(2);
    expect(prefixOf(write(at, 'text'))).toBe('k8s:enc:aesgcm:v1:a:');
    replace(entry('secrets', gcm('b')));
    await expect.poll(() => prefixOf(write(at, 'text'))).toBe('k8s:enc:aesgcm:v1:b:');
  });

  it('takes effect when its plugins are healthy, and closes the old ones', async () => {
    const old = await plugin('old');
    const at = await open(entry('secrets', kms('old', '100ms')), true);
    follow(at);
    const stored = write(at, 'text');
    replace(entry('secrets', kms('new', '100ms'), kms('old2', '100ms'), gcm('a')));
    const failed = (name: string) => metrics.lines.filter((line) => line.startsWith(`kmsCalled ${name} `)).length;
    await expect.poll(() => failed('new') > 0 && failed('old2') > 0).toBe(true);
    expect(prefixOf(write(at, 'text'))).toBe('k8s:enc:kms:v2:old:');
    await Promise.all([plugin('new'), plugin('old2')]);
    await expect.poll(() => prefixOf(write(at, 'text'))).toBe('k8s:enc:kms:v2:new:');
    expect(await readFailure(at, stored)).toBe('no matching prefix found');
    expect(old.count('Encrypt')).toBe(1);
  }, 20_000);
});
