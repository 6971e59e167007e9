import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { createTestLogger, silentLogger } from '@apiserver/apiserver-contracts/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type KmsPlugin, startKmsPlugin } from '../testing/encryption/kms-plugin.js';
import { recordingMetrics } from '../testing/encryption/recording-metrics.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { followConfiguration } from './follow-configuration.js';
import { loadTransformerSet, type TransformerSet } from './transformer-set.js';

let resources: AsyncDisposableStack;
let folder: string;
let file: string;
let clock: ManualClock;
let ended: AbortController;

beforeEach(() => {
  resources = new AsyncDisposableStack();
  folder = resources.use(temporaryDirectory()).path;
  file = join(folder, 'encryption.yaml');
  clock = new ManualClock();
  ended = new AbortController();
  resources.defer(() => ended.abort());
});
afterEach(() => resources.disposeAsync());

const HEAD = 'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources:\n';
const IDENTITY = '{identity: {}}';

function replace(provider: string): void {
  writeFileSync(`${file}.new`, `${HEAD}- {resources: [secrets], providers: [${provider}]}\n`);
  renameSync(`${file}.new`, file);
}

/** Follows a file that begins with identity, then has a plugin; returns the sets that were applied. */
async function follow(): Promise<readonly TransformerSet[]> {
  const options = { file, clock, logger: silentLogger, metrics: recordingMetrics() };
  replace(IDENTITY);
  const sets = [await loadTransformerSet({ file, reload: true }, options)];
  resources.defer(() => {
    for (const set of sets) set.close();
  });
  replace(`{kms: {apiVersion: v2, name: p, endpoint: "unix://${folder}/kms.sock"}}`);
  const current = () => sets.at(-1) as TransformerSet;
  followConfiguration({ ...options, current, swap: (next) => void sets.push(next), signal: ended.signal });
  clock.advance(0);
  return sets;
}

const plugin = async (behaviour: Parameters<typeof startKmsPlugin>[1]): Promise<KmsPlugin> =>
  resources.use(await startKmsPlugin(join(folder, 'kms.sock'), behaviour));

it('closes a set whose plugins become healthy after the end', async () => {
  const at = await plugin({ healthz: 'ill' });
  const sets = await follow();
  await expect.poll(() => at.count('Status')).toBe(1);
  at.behaviour.delay = 100;
  at.behaviour.healthz = 'ok';
  // A health result is cached for three seconds.
  clock.advance(3000);
  const requested = () => {
    clock.advance(50);
    return at.underWay;
  };
  await expect.poll(requested, { interval: 10 }).toBe(1);
  ended.abort();
  await expect.poll(() => at.connections).toBe(0);
  expect(sets).toHaveLength(1);
});

it('closes a set whose plugins are unhealthy after the end, without another request', async () => {
  const at = await plugin({ healthz: 'ill' });
  const sets = await follow();
  await expect.poll(() => [at.count('Status'), at.count('Encrypt'), at.underWay]).toEqual([1, 1, 0]);
  // The response arrives, and the next request waits for a clock that stands still.
  await sleep(50);
  ended.abort();
  await expect.poll(() => at.connections).toBe(0);
  expect([sets.length, at.count('Status')]).toEqual([1, 1]);
});

it('detects a change while it applies the previous one', async () => {
  const at = await plugin({ delay: 200 });
  const sets = await follow();
  await expect.poll(() => at.underWay).toBe(1);
  replace(IDENTITY);
  await expect.poll(() => sets.length).toBe(2);
  // Long before the next poll.
  const later = () => {
    clock.advance(100);
    return sets.length;
  };
  await expect.poll(later).toBe(3);
});

it('logs why a changed file is unusable, and counts the failure', async () => {
  replace(IDENTITY);
  const { logger, lines } = createTestLogger();
  const metrics = recordingMetrics();
  const options = { file, clock, logger, metrics };
  const set = await loadTransformerSet({ file, reload: true }, options);
  resources.defer(() => set.close());
  replace('{aesgcm: {keys: []}}');
  const swapped: TransformerSet[] = [];
  followConfiguration({
    ...options,
    current: () => set,
    swap: (next) => void swapped.push(next),
    signal: ended.signal,
  });
  clock.advance(0);
  const failures = () => lines.filter(({ level }) => level === 'error');
  await expect.poll(() => failures().length).toBe(1);
  const [failure] = failures();
  expect(failure).toMatchObject({ message: 'Unhandled Error' });
  const message = String(failure?.error);
  expect(message).toContain(`error processing encryption config file ${file}: `);
  expect(message).toContain('resources[0].providers[0].aesgcm.keys: Required value: at least one keys is required');
  expect(metrics.lines).toContain('reloaded failure');
  expect(swapped).toEqual([]);
});

it('polls the file when its folder cannot be watched, and says so', async () => {
  replace(IDENTITY);
  const logged: unknown[] = [];
  const verbose = { ...silentLogger, info: (...line: unknown[]) => void logged.push(line) };
  const logger = { ...silentLogger, v: () => verbose };
  const options = { file, clock, logger, metrics: recordingMetrics() };
  const sets = [await loadTransformerSet({ file, reload: true }, options)];
  resources.defer(() => {
    for (const set of sets) set.close();
  });
  renameSync(folder, `${folder}-away`);
  const current = () => sets.at(-1) as TransformerSet;
  followConfiguration({ ...options, current, swap: (next) => void sets.push(next), signal: ended.signal });
  renameSync(`${folder}-away`, folder);
  expect(logged).toEqual([['The folder cannot be watched; the file is looked at once a minute', { file }]]);
  replace('{aesgcm: {keys: [{name: a, secret: AAAAAAAAAAAAAAAAAAAAAA==}]}}');
  const later = () => {
    clock.advance(60_000);
    return sets.length;
  };
  await expect.poll(later).toBe(2);
});

/** Follows the file without events of its folder, as it is after `clock.advance(0)`. */
async function pollOnly() {
  replace(IDENTITY);
  const { logger, lines } = createTestLogger();
  const metrics = recordingMetrics();
  const options = { file, clock, logger, metrics };
  const sets = [await loadTransformerSet({ file, reload: true }, options)];
  resources.defer(() => {
    for (const set of sets) set.close();
  });
  const schedule = vi.spyOn(clock, 'schedule');
  renameSync(folder, `${folder}-away`);
  const current = () => sets.at(-1) as TransformerSet;
  followConfiguration({ ...options, current, swap: (next) => void sets.push(next), signal: ended.signal });
  renameSync(`${folder}-away`, folder);
  return { lines, metrics, sets, delays: () => schedule.mock.calls.map(([, milliseconds]) => milliseconds) };
}

it('polls once a minute, and after each failure twice as late as before', async () => {
  const { delays, lines } = await pollOnly();
  const expected = [0];
  const poll = async (next: number) => {
    clock.advance(expected.at(-1) ?? 0);
    expected.push(next);
    await expect.poll(delays).toEqual(expected);
  };
  await poll(60_000);
  replace('{aesgcm: {keys: []}}');
  for (const next of [5, 10, 20]) await poll(next);
  replace(IDENTITY);
  await poll(60_000);
  replace('{aesgcm: {keys: []}}');
  await poll(5);
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(4);
  expect(lines[0]).toMatchObject({
    message: 'Starting controller',
    fields: { name: 'encryption-provider-config-automatic-reload-controller' },
  });
  ended.abort();
  clock.advance(60_000);
  await sleep(20);
  expect(delays()).toEqual(expected);
});

it('says that it has loaded a file, with its hash', async () => {
  const { metrics, sets, delays } = await pollOnly();
  replace('{aesgcm: {keys: [{name: a, secret: AAAAAAAAAAAAAAAAAAAAAA==}]}}');
  clock.advance(0);
  await expect.poll(delays).toEqual([0, 60_000]);
  expect(sets).toHaveLength(2);
  expect(metrics.lines).toEqual(['reloaded success', `configured ${sets[1]?.contentHash}`]);
});

it('refuses a file whose plugins are unhealthy for ten seconds, and closes them', async () => {
  const at = await plugin({ healthz: 'ill' });
  const { lines, sets, delays } = await pollOnly();
  replace(`{kms: {apiVersion: v2, name: p, endpoint: "unix://${folder}/kms.sock"}}`);
  const began = clock.now();
  const failed = () => lines.find(({ level, message }) => level === 'error' && message === 'Unhandled Error');
  clock.advance(0);
  const later = () => {
    if (failed() === undefined) clock.advance(100);
    return failed();
  };
  await expect.poll(later, { interval: 5 }).toBeDefined();
  expect(clock.now() - began).toBeGreaterThanOrEqual(10_000);
  expect(String(failed()?.error)).toContain(
    'health check for new transformers failed, polling error timed out waiting for the condition: kms-provider-0: ',
  );
  expect([sets.length, delays().at(-1)]).toEqual([1, 5]);
  await expect.poll(() => at.connections).toBe(0);
});
