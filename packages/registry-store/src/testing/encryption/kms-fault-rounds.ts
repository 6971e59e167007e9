import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { expect } from 'vitest';
import { createStorageProvider } from '../../create-storage-provider.js';
import { openEncryption } from '../../encryption/encryption.js';
import { GrpcCode } from '../../grpc/grpc-error.js';
import { createMemoryStore } from '../../memory/create-memory-store.js';
import { seededRandom } from '../soak-share.js';
import { create, listOptions, setColor, watch } from '../suites/storage-suite-fixture.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { memoizedCodecs, storedWidgetDefinition } from '../widget-kind.js';
import { type KmsPlugin, startKmsPlugin } from './kms-plugin.js';
import { recordingMetrics } from './recording-metrics.js';

/** Timeout of a plugin's call. */
const TIMEOUT_MS = 500;

/** Changes the plugin's behaviour between two writes. */
function disturb(plugin: KmsPlugin, random: (bound: number) => number): void {
  // The fault lasts, sometimes until writes are blocked.
  if (random(4) > 0) return;
  const { behaviour } = plugin;
  delete behaviour.failsWith;
  behaviour.healthz = 'ok';
  behaviour.delay = 0;
  const what = random(6);
  if (what === 0) behaviour.failsWith = GrpcCode.unavailable;
  else if (what === 1) behaviour.healthz = 'ill';
  else if (what === 2) behaviour.delay = 20;
  else if (what === 3) behaviour.keyId = `key-${random(5)}`;
}

/**
 * Writes while a KMS plugin fails, is slow and rotates its keys, until `goesOn` ends it. Then checks that nothing
 * acknowledged is lost, with the server that wrote it and with the next one. Returns the number of writes.
 */
export async function kmsFaultRounds(seed: number, goesOn: (rounds: number) => boolean): Promise<number> {
  const next = seededRandom(seed);
  const random = (bound: number) => Math.floor(next() * bound);
  using folder = temporaryDirectory();
  const file = join(folder.path, 'encryption.json');
  const endpoint = `unix://${folder.path}/kms.sock`;
  const kms = { apiVersion: 'v2', name: 'p', endpoint, timeout: `${TIMEOUT_MS}ms` };
  const resources = [{ resources: ['*.*'], providers: [{ kms }] }];
  const document = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources };
  writeFileSync(file, JSON.stringify(document));
  const clock = new ManualClock();
  await using plugin = await startKmsPlugin(join(folder.path, 'kms.sock'));
  await using store = createMemoryStore({ clock, compactionInterval: 0 });
  const open = async () => {
    const stack = new AsyncDisposableStack();
    const options = { file, reload: false, clock, logger: silentLogger, metrics: recordingMetrics() };
    // The plugin's calls take real time.
    const encryption = stack.use(await openEncryption(options));
    const codecFor = memoizedCodecs();
    const transformerFor = (resource: { group: string; resource: string }) => encryption.transformerFor(resource);
    const provider = stack.use(createStorageProvider({ store, clock, codecFor, transformerFor }));
    const check = () => Promise.all(encryption.checks.map((one) => one.check().catch(() => {})));
    return { stack, check, storage: provider.storageFor(storedWidgetDefinition()) };
  };
  const server = await open();
  const expected = new Map<string, string>();
  let acknowledged = 0;
  let round = 0;
  for (; goesOn(round); round++) {
    disturb(plugin, random);
    for (let steps = random(6); steps > 0; steps--) {
      clock.advance(10_000);
      const checked = server.check();
      // Lets a pending call time out.
      if (plugin.behaviour.delay > 0) clock.advance(TIMEOUT_MS);
      await checked;
    }
    const key = `ns/w${random(8)}`;
    const color = `round-${round}`;
    try {
      if (expected.has(key)) await setColor(server.storage, key, color);
      else await create(server.storage, key, { spec: { color } });
      expected.set(key, color);
      acknowledged++;
    } catch (error) {
      expect(String(error)).toMatch(/encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at/);
    }
  }
  expect(acknowledged).toBeGreaterThan(round / 4);
  plugin.behaviour.healthz = 'ok';
  plugin.behaviour.delay = 0;
  delete plugin.behaviour.failsWith;
  const later = await open();
  for (const { storage } of [server, later]) {
    const { items } = await storage.list('', listOptions());
    const found = items.map(({ object }) => [`ns/${object.metadata.name}`, object.spec?.color]);
    expect(new Map(found as [string, string][])).toEqual(expected);
  }
  const history = await watch(later.storage, '', { resourceVersion: '1' });
  const versions = (await history.have(acknowledged)).map((line) => Number(line.split('@')[1]));
  expect(versions).toEqual(Array.from({ length: acknowledged }, (_, i) => i + 2));
  await later.stack.disposeAsync();
  await server.stack.disposeAsync();
  return acknowledged;
}
