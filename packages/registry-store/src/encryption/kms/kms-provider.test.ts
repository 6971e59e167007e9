import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import { eventLoopTurns, ManualClock, SettableClock } from '@apiserver/apimachinery/testing';
import { formatTime } from '@apiserver/apimachinery/values';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { hashIfNotEmpty } from '@apiserver/component-base/metrics';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GrpcCode } from '../../grpc/grpc-error.js';
import { type KmsPlugin, startKmsPlugin } from '../../testing/encryption/kms-plugin.js';
import { type RecordingMetrics, recordingMetrics } from '../../testing/encryption/recording-metrics.js';
import { temporaryDirectory } from '../../testing/temporary-directory.js';
import { cacheKeyOf, decodeEncryptedObject } from './encrypted-object.js';
import { KmsProvider } from './kms-provider.js';
import { createKmsService, type KmsService } from './kms-service.js';

const KEY = '/registry/secrets/ns/a';
const SECOND = 1000;
const MINUTE = 60 * SECOND;

let resources: AsyncDisposableStack;
let path: string;
let metrics: RecordingMetrics;
/** The server's clock; the plugin's calls take real time. */
let clock: ManualClock;

beforeEach(() => {
  resources = new AsyncDisposableStack();
  path = join(resources.use(temporaryDirectory()).path, 'kms.sock');
  metrics = recordingMetrics();
  clock = new ManualClock();
});
afterEach(() => resources.disposeAsync());

const plugin = async (behaviour: Parameters<typeof startKmsPlugin>[1] = {}): Promise<KmsPlugin> =>
  resources.use(await startKmsPlugin(path, behaviour));

function service(timeout = 3 * SECOND): KmsService {
  const made = createKmsService({ endpoint: `unix://${path}`, name: 'p', timeout, clock: systemClock, metrics });
  resources.defer(() => made.close());
  return made;
}

function provider(timeout?: number): KmsProvider {
  const made = new KmsProvider({ name: 'p', service: service(timeout), clock, metrics, logger: silentLogger });
  resources.defer(() => made.close());
  return made;
}

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: Error) => error.message,
  );

/** Advances the clock and waits for the requests to the plugin. */
async function pass(milliseconds: number, from: KmsProvider): Promise<void> {
  clock.advance(milliseconds);
  await from.check().catch(() => {});
  await eventLoopTurns();
}

async function read(from: KmsProvider, stored: Uint8Array): Promise<readonly [text: string, stale: boolean]> {
  const { bytes, stale } = await from.transformer.fromStorage(stored, KEY);
  return [Buffer.from(bytes).toString(), stale];
}

const write = (to: KmsProvider, text: string): Uint8Array => to.transformer.toStorage(Buffer.from(text), KEY);

describe('a healthy plugin', () => {
  it('is asked for one seed, which writes many values', async () => {
    const at = await plugin({ annotations: { 'a.example.com': Buffer.from('note') } });
    const kms = provider();
    await kms.start();
    const stored = ['one', 'two', 'three'].map((text) => write(kms, text));
    expect(await Promise.all(stored.map((value) => read(kms, value)))).toEqual([
      ['one', false],
      ['two', false],
      ['three', false],
    ]);
    expect(at.calls).toEqual(['Status', 'Encrypt key-1']);
    const [first, second] = stored.map(decodeEncryptedObject);
    expect(first).toMatchObject({ keyId: 'key-1', sourceType: 1 });
    expect([...(first?.annotations ?? [])].map(([name, value]) => `${name}=${Buffer.from(value)}`)).toEqual([
      'a.example.com=note',
    ]);
    expect(first && second && cacheKeyOf(first) === cacheKeyOf(second)).toBe(true);
    await expect(kms.check()).resolves.toBeUndefined();
  });

  it('decrypts an old seed once for any number of readers', async () => {
    const at = await plugin();
    const before = provider();
    await before.start();
    const stored = ['one', 'two'].map((text) => write(before, text));
    const after = provider();
    await after.start();
    expect(await Promise.all([...stored, ...stored].map((value) => read(after, value)))).toEqual([
      ['one', false],
      ['two', false],
      ['one', false],
      ['two', false],
    ]);
    expect(at.count('Decrypt')).toBe(1);
    expect(metrics.lines.filter((line) => line === 'keyMissed')).toHaveLength(1);
    expect(metrics.lines).toContain('keysKept p 1');
    expect(metrics.lines).toContain(`keyUsed from_storage p ${hashIfNotEmpty('key-1')}`);
    expect(metrics.lines).toContain('kmsCalled p /v2.KeyManagementService/Decrypt OK');
  });

  it('is asked again after a day', async () => {
    const at = await plugin();
    const before = provider();
    await before.start();
    const stored = write(before, 'one');
    const after = provider();
    await after.start();
    await read(after, stored);
    clock.advance(24 * 60 * MINUTE + 1);
    await read(after, stored);
    expect(at.count('Decrypt')).toBe(2);
  });

  it('gets a new seed after a key rotation, and values of the old one are stale', async () => {
    const at = await plugin();
    const kms = provider();
    await kms.start();
    const old = write(kms, 'one');
    at.behaviour.keyId = 'key-2';
    await pass(MINUTE, kms);
    expect(at.calls).toEqual(['Status', 'Encrypt key-1', 'Status', 'Encrypt key-2']);
    expect(await read(kms, old)).toEqual(['one', true]);
    expect(await read(kms, write(kms, 'two'))).toEqual(['two', false]);
    expect(decodeEncryptedObject(write(kms, 'x')).keyId).toBe('key-2');
  });

  it('is polled once a minute, and by health checks every 20 seconds at most', async () => {
    const at = await plugin();
    const kms = provider();
    await kms.start();
    for (let i = 0; i < 3; i++) await pass(MINUTE, kms);
    expect(at.count('Status')).toBe(4);
    clock.advance(19 * SECOND);
    await kms.check();
    expect(at.count('Status')).toBe(4);
    clock.advance(2 * SECOND);
    await kms.check();
    expect(at.count('Status')).toBe(5);
    clock.setBack(60 * MINUTE);
    await kms.check();
    expect(at.count('Status')).toBe(6);
    expect(at.count('Encrypt')).toBe(1);
  });
});

describe('a machine whose clock is set', () => {
  it.each([60 * MINUTE, -60 * MINUTE])('by %i ms encrypts on, and for no longer than before', async (step) => {
    await plugin();
    const machine = new SettableClock();
    const kms = new KmsProvider({ name: 'p', service: service(), clock: machine, metrics, logger: silentLogger });
    resources.defer(() => kms.close());
    await kms.start();
    const write = () => kms.transformer.toStorage(Buffer.from('a'), KEY);
    machine.set(step);
    expect(write()).toBeInstanceOf(Uint8Array);
    machine.monotonic.advanceTo(machine.monotonic.now() + 1);
    kms.close();
    machine.advance(4 * MINUTE);
    expect(write).toThrow(`(current time is ${formatTime(machine.now())})`);
  });
});

describe('an unhealthy plugin', () => {
  it('does not block reads, and blocks writes only after three minutes', async () => {
    const at = await plugin();
    const kms = provider();
    await kms.start();
    const stored = write(kms, 'one');
    at.behaviour.failsWith = GrpcCode.unavailable;
    for (let passed = 0; passed < 170; passed += 10) await pass(10 * SECOND, kms);
    expect(await read(kms, write(kms, 'two'))).toEqual(['two', false]);
    await pass(20 * SECOND, kms);
    expect(() => write(kms, 'three')).toThrow(
      `encryptedDEKSource with keyID hash "${hashIfNotEmpty('key-1')}" expired at 2023-11-14T22:16:20Z (current time is 2023-11-14T22:16:30Z)`,
    );
    expect(await read(kms, stored)).toEqual(['one', false]);
    expect(await failure(kms.check())).toBe(
      'failed to perform status section of the healthz check for KMS Provider p, error: ' +
        'rpc error: code = Unavailable desc = the plugin is told to fail',
    );
    delete at.behaviour.failsWith;
    await pass(10 * SECOND, kms);
    expect(await read(kms, write(kms, 'four'))).toEqual(['four', false]);
    expect(at.count('Encrypt')).toBe(1);
  });

  it('is polled every ten seconds until it is healthy', async () => {
    const at = await plugin({ healthz: 'tired' });
    const kms = provider();
    await kms.start();
    expect(await failure(kms.check())).toBe(
      'kmsv2 Provider p is not healthy, error: got unexpected healthz status: tired',
    );
    await pass(10 * SECOND, kms);
    expect(at.count('Status')).toBe(2);
    at.behaviour.healthz = 'ok';
    await pass(10 * SECOND, kms);
    await expect(kms.check()).resolves.toBeUndefined();
  });

  it.each([
    [{ version: 'v3' }, 'expected KMSv2 API version v2, got v3'],
    [{ keyId: '' }, 'got invalid KMSv2 KeyID hash "": keyID is empty'],
    [
      { keyId: 'x'.repeat(1025) },
      `got invalid KMSv2 KeyID hash "${hashIfNotEmpty('x'.repeat(1025))}": keyID is 1025 bytes, which exceeds the max size of 1024`,
    ],
    [{ healthz: 'no', version: 'v1' }, '[got unexpected healthz status: no, expected KMSv2 API version v2, got v1]'],
    [
      { annotations: { nodomain: Buffer.from('x') } },
      /errGen=failed to validate annotations: annotations: Invalid value: "nodomain": should be a domain with at least two segments/,
    ],
    [
      { annotations: { 'a.b': Buffer.alloc(33_000) } },
      /errGen=failed to validate annotations: total size of annotations is 33003, which exceeds the max size of 32768/,
    ],
    [
      { annotations: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a.b${i}`, Buffer.alloc(1)])) },
      /errGen=.*the message has more than 50000 fields/,
    ],
    [
      { encryptKeyId: 'other' },
      /^failed to rotate DEK uid="[-0-9a-f]{36}", useSeed=true, errState=got unexpected nil transformer, errGen=<nil>/,
    ],
  ])('says what is wrong with it: %#', async (behaviour, reason) => {
    await plugin(behaviour);
    const kms = provider();
    await kms.start();
    const head = 'kmsv2 Provider p is not healthy, error: ';
    const reported = await failure(kms.check());
    expect(reported.startsWith(head)).toBe(true);
    if (typeof reason === 'string') expect(reported.slice(head.length)).toBe(reason);
    else expect(reported.slice(head.length)).toMatch(reason);
  });

  it('that was never healthy blocks all reads and writes', async () => {
    await plugin();
    const kms = provider();
    expect(() => write(kms, 'one')).toThrow(/^got unexpected nil transformer$/);
    const other = provider();
    await other.start();
    expect(() => kms.transformer.fromStorage(write(other, 'one'), KEY)).toThrow(/^got unexpected nil transformer$/);
  });

  it('must not change its version', async () => {
    const at = await plugin({ version: 'v2beta1' });
    const kms = provider();
    await kms.start();
    await expect(kms.check()).resolves.toBeUndefined();
    at.behaviour.version = 'v2';
    clock.advance(21 * SECOND);
    expect(await failure(kms.check())).toBe(
      'kmsv2 Provider p is not healthy, error: KMSv2 API version should not change after the initial status response ' +
        'version v2beta1, got v2',
    );
  });
});

describe('an unavailable plugin', () => {
  it('is awaited until the timeout of a call', async () => {
    const call = failure(service(SECOND).status());
    expect(await call).toBe(
      'rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = ' +
        `"transport: Error while dialing: dial unix ${path}: connect: no such file or directory"`,
    );
    expect(metrics.lines).toEqual(['kmsCalled p /v2.KeyManagementService/Status DeadlineExceeded']);
  });

  it('may start during the wait', async () => {
    const call = service(5000).status();
    await eventLoopTurns();
    await plugin();
    expect(await call).toEqual({ version: 'v2', healthz: 'ok', keyId: 'key-1' });
  });

  it('may die and restart', async () => {
    const first = await plugin();
    const at = service(5000);
    await at.status();
    await first[Symbol.asyncDispose]();
    await plugin({ keyId: 'key-2' });
    expect(await at.status()).toEqual({ version: 'v2', healthz: 'ok', keyId: 'key-2' });
  });

  it('fails when it exceeds its timeout', async () => {
    await plugin({ delay: 5 * SECOND });
    expect(await failure(service(SECOND).status())).toBe(
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
  });

  it('fails at once when its response is too large', async () => {
    await plugin({ version: 'v'.repeat(4 * 1024 * 1024) });
    expect(await failure(service().status())).toMatch(
      /^rpc error: code = ResourceExhausted desc = grpc: received message larger than max \(41943\d\d vs\. 4194304\)$/,
    );
  });

  it('fails every value that needs it', async () => {
    const first = await plugin();
    const before = provider();
    await before.start();
    const stored = write(before, 'one');
    const after = provider(SECOND);
    await after.start();
    await first[Symbol.asyncDispose]();
    await expect(read(after, stored)).rejects.toThrow(
      /^failed to decrypt DEK, error: rpc error: code = DeadlineExceeded desc = latest balancer error/,
    );
    await plugin();
    expect(await read(after, stored)).toEqual(['one', false]);
  });
});
