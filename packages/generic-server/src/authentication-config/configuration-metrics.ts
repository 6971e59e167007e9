import { hashIfNotEmpty, type MetricsRegistry } from '@apiserver/component-base/metrics';

const PREFIX = 'apiserver_authentication_config_controller_';

/** Upstream: k8s.io/apiserver/pkg/server/options/authenticationconfig/metrics */
export class ConfigurationMetrics {
  readonly #reloads;
  readonly #lastReload;
  readonly #server: { readonly apiserver_id_hash: string };
  readonly #now: () => number;
  #hash = '';

  /** `now` returns milliseconds since the epoch. */
  constructor(registry: MetricsRegistry, serverId: string, now: () => number) {
    this.#server = { apiserver_id_hash: hashIfNotEmpty(serverId) };
    this.#now = now;
    this.#reloads = registry.counter({
      name: `${PREFIX}automatic_reloads_total`,
      help: 'Reloads of the authentication configuration, by status and server.',
      labels: ['status', 'apiserver_id_hash'],
    });
    this.#lastReload = registry.gauge({
      name: `${PREFIX}automatic_reload_last_timestamp_seconds`,
      help: 'Time of the last reload of the authentication configuration, by status and server.',
      labels: ['status', 'apiserver_id_hash'],
    });
    registry.collect({
      name: `${PREFIX}last_config_info`,
      help: 'The authentication configuration in use, by its hash and server.',
      type: 'gauge',
      samples: () => (this.#hash === '' ? [] : [{ value: 1, labels: { ...this.#server, hash: this.#hash } }]),
    });
  }

  /** A configuration is in use. */
  configured(text: string): void {
    this.#hash = hashIfNotEmpty(text);
  }

  reloaded(status: 'success' | 'failure'): void {
    const labels = { status, ...this.#server };
    this.#reloads.with(labels).value++;
    this.#lastReload.with(labels).value = this.#now() / 1_000;
  }
}
