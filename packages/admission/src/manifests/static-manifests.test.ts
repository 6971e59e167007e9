import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, test, vi } from 'vitest';
import { ManifestEnvironment } from './manifest-environment.js';
import { ManifestMetrics } from './manifest-metrics.js';
import { StaticManifests } from './static-manifests.js';

function fixture() {
  const registry = new MetricsRegistry();
  let changed = () => {};
  let load = async () => ({ manifests: 'one', hash: 'sha256:1', count: 1 });
  const environment = new ManifestEnvironment({
    kinds: [],
    metrics: new ManifestMetrics(registry, { serverId: 'server', now: () => 5_000 }),
    logger: createTestLogger().logger,
    watch: (_directory, { changed: notified }) => {
      changed = notified;
    },
  });
  const options = { plugin: 'P', content: 'policy', directory: '/d', load: () => load(), compile: String } as const;
  const manifests = new StaticManifests<string, string>(options, environment, '');
  return {
    manifests,
    start: () => environment.start(),
    change: (next: typeof load) => {
      load = next;
      changed();
    },
    helps: async () =>
      (await registry.expose()).text.split('\n').filter((line) => line.startsWith('# HELP apiserver_')),
    samples: async () => {
      const lines = (await registry.expose()).text.split('\n').filter((line) => line.startsWith(PREFIX));
      return lines.toSorted().map((line) => line.replace(/apiserver_id_hash="sha256:[0-9a-f]{64}"/, 'server'));
    },
  };
}

const PREFIX = 'apiserver_manifest_admission_config_controller';

test('manifests are made again after a change, and kept while they cannot be read', async () => {
  const { manifests, start, change, samples } = fixture();
  await start();
  expect(manifests.value).toBe('one');
  change(async () => ({ manifests: 'same hash', hash: 'sha256:1', count: 1 }));
  change(async () => ({ manifests: 'two', hash: 'sha256:2', count: 1 }));
  await vi.waitFor(() => expect(manifests.value).toBe('two'), 30_000);
  change(() => Promise.reject(new Error('broken')));
  await vi.waitFor(
    async () =>
      expect(await samples()).toEqual([
        `${PREFIX}_automatic_reload_last_timestamp_seconds{server,plugin="P",status="failure"} 5`,
        `${PREFIX}_automatic_reload_last_timestamp_seconds{server,plugin="P",status="success"} 5`,
        `${PREFIX}_automatic_reloads_total{server,plugin="P",status="failure"} 1`,
        `${PREFIX}_automatic_reloads_total{server,plugin="P",status="success"} 2`,
        `${PREFIX}_last_config_info{server,hash="sha256:2",plugin="P"} 1`,
      ]),
    30_000,
  );
  expect(manifests.value).toBe('two');
});

test('manifests that cannot be read at the start stop it', async () => {
  const { start, change } = fixture();
  change(() => Promise.reject(new Error('broken')));
  await expect(start()).rejects.toThrow(
    'failed to initialize admission plugin "P": failed to load static policy manifests from "/d": broken',
  );
});

test('the metrics appear with the first load, and have help texts', async () => {
  const { start, helps } = fixture();
  expect(await helps()).toEqual([]);
  await start();
  expect((await helps()).toSorted()).toEqual([
    `# HELP ${PREFIX}_automatic_reload_last_timestamp_seconds [ALPHA] Time of the last load of admission manifests, by result, plugin and server.`,
    `# HELP ${PREFIX}_automatic_reloads_total [ALPHA] Loads of admission manifests, by result, plugin and server.`,
    `# HELP ${PREFIX}_last_config_info [ALPHA] The hash of the manifests that a plugin uses, by plugin and server.`,
  ]);
});

test('manifests are loaded once at a start', async () => {
  const { start, change, manifests } = fixture();
  await start();
  change(() => Promise.reject(new Error('broken')));
  await start();
  expect(manifests.value).toBe('one');
});
