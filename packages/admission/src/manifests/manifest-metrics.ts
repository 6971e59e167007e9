import { hashIfNotEmpty, type MetricsRegistry } from '@apiserver/component-base/metrics';

const PREFIX = 'apiserver_manifest_admission_config_controller';

/** The server that is measured, and its clock. */
export interface ManifestMetricsOptions {
  /** Its hash is a label. */
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Counts loads of manifests. The families appear with the first load.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/manifest/metrics
 */
export class ManifestMetrics {
  readonly #registry: MetricsRegistry;
  readonly #now: () => number;
  readonly #server: { readonly apiserver_id_hash: string };
  readonly #hashes = new Map<string, string>();
  #families: ReturnType<typeof newFamilies> | undefined;

  constructor(registry: MetricsRegistry, { serverId, now }: ManifestMetricsOptions) {
    this.#registry = registry;
    this.#now = now;
    this.#server = { apiserver_id_hash: hashIfNotEmpty(serverId) };
  }

  succeeded(plugin: string, hash: string): void {
    this.#hashes.set(plugin, hash);
    this.#count(plugin, 'success');
  }

  failed(plugin: string): void {
    this.#count(plugin, 'failure');
  }

  #count(plugin: string, status: 'success' | 'failure'): void {
    this.#families ??= newFamilies(this.#registry, () => this.#samples());
    const labels = { status, plugin, ...this.#server };
    this.#families.reloads.with(labels).value++;
    this.#families.times.with(labels).value = this.#now() / 1000;
  }

  #samples() {
    return [...this.#hashes].map(([plugin, hash]) => ({ labels: { plugin, ...this.#server, hash }, value: 1 }));
  }
}

function newFamilies(registry: MetricsRegistry, samples: () => { labels: Record<string, string>; value: number }[]) {
  const labels = ['status', 'plugin', 'apiserver_id_hash'] as const;
  registry.collect({
    name: `${PREFIX}_last_config_info`,
    help: 'The hash of the manifests that a plugin uses, by plugin and server.',
    type: 'gauge',
    samples,
  });
  return {
    reloads: registry.counter({
      name: `${PREFIX}_automatic_reloads_total`,
      help: 'Loads of admission manifests, by result, plugin and server.',
      labels,
    }),
    times: registry.gauge({
      name: `${PREFIX}_automatic_reload_last_timestamp_seconds`,
      help: 'Time of the last load of admission manifests, by result, plugin and server.',
      labels,
    }),
  };
}
