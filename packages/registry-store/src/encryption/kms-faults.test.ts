import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { GrpcCode } from '../grpc/grpc-error.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type KmsPlugin, startKmsPlugin } from '../testing/encryption/kms-plugin.js';
import { recordingMetrics, silentLogger } from '../testing/encryption/recording-metrics.js';
import { ManualClock } from '../testing/manual-clock.js';
import { create, listOptions, setColor, watch } from '../testing/storage-suite-fixture.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { openEncryption } from './encryption.js';

const ROUNDS = Number(process.env['SOAK_RUNS'] ?? 60);
const SEEDS = [1, 2, 3];
/** Of a plugin's call. */
const TIMEOUT_MS = 500;

/** Numbers from 0 to below `bound` that follow from the seed. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** What happens to the plugin between two writes. */
function disturb(plugin: KmsPlugin, random: (bound: number) => number): void {
  // It lasts, sometimes until nothing may be written any more.
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

it.each(SEEDS)(
  'a plugin that fails, is slow and changes keys loses nothing that was acknowledged: seed %i',
  async (seed) => {
    const random = randomOf(seed);
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
    for (let round = 0; round < ROUNDS; round++) {
      disturb(plugin, random);
      for (let steps = random(6); steps > 0; steps--) {
        clock.advance(10_000);
        const asked = server.check();
        // The time of a call that is under way is over.
        if (plugin.behaviour.delay > 0) clock.advance(TIMEOUT_MS);
        await asked;
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
    expect(acknowledged).toBeGreaterThan(ROUNDS / 4);
    plugin.behaviour.healthz = 'ok';
    plugin.behaviour.delay = 0;
    delete plugin.behaviour.failsWith;
    const next = await open();
    for (const { storage } of [server, next]) {
      const { items } = await storage.list('', listOptions());
      const found = items.map(({ object }) => [`ns/${object.metadata.name}`, object.spec?.color]);
      expect(new Map(found as [string, string][])).toEqual(expected);
    }
    const history = await watch(next.storage, '', { resourceVersion: '1' });
    const versions = (await history.have(acknowledged)).map((line) => Number(line.split('@')[1]));
    expect(versions).toEqual(Array.from({ length: acknowledged }, (_, i) => i + 2));
    await next.stack.disposeAsync();
    await server.stack.disposeAsync();
  },
  60_000,
);
