import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { ManifestEnvironment } from './manifest-environment.js';
import { ManifestError } from './manifest-error.js';

/** Manifests that were read and checked. */
export interface LoadedManifests<M> {
  readonly manifests: M;
  readonly hash: string;
}

/** Input of `StaticManifests`. */
export interface StaticManifestsOptions<M, V> {
  readonly plugin: string;
  /** Word in the message of a failed start. */
  readonly content: 'webhook' | 'policy';
  readonly directory: string;
  load(directory: string): Promise<LoadedManifests<M>>;
  /** Compiles manifests, which are valid. */
  compile(manifests: M): Promise<V> | V;
}

/**
 * A value that is made from the manifests of a folder. It is made again when the content of the folder changes. Unusable
 * content changes nothing.
 * Upstream: StaticPolicySource and staticWebhookSource of k8s.io/apiserver/pkg/admission/plugin
 */
export class StaticManifests<M, V> {
  readonly #options: StaticManifestsOptions<M, V>;
  readonly #environment: ManifestEnvironment;
  #value: V;
  #hash = '';
  /** Loads run one after another. */
  #loading: Promise<void> = Promise.resolve();

  /** `empty` is the value before the start. */
  constructor(options: StaticManifestsOptions<M, V>, environment: ManifestEnvironment, empty: V) {
    this.#options = options;
    this.#environment = environment;
    this.#value = empty;
    environment.onStart(options.plugin, () => this.#start());
  }

  get value(): V {
    return this.#value;
  }

  async #start(): Promise<void> {
    const { directory, content, plugin } = this.#options;
    const { logger, watch } = this.#environment;
    try {
      const { manifests, hash } = await this.#options.load(directory);
      await this.#use(manifests, hash);
    } catch (error) {
      const place = `static ${content} manifests from ${quote(directory)}`;
      throw new ManifestError(`failed to load ${place}: ${messageOf(error)}`, { cause: error });
    }
    logger.info('Loaded admission manifests', { plugin, directory });
    watch(directory, () => this.#reload());
  }

  #reload(): void {
    this.#loading = this.#loading.then(() => this.#reloadOnce());
  }

  /** Does not reject. */
  async #reloadOnce(): Promise<void> {
    const { directory, plugin } = this.#options;
    const { logger, metrics } = this.#environment;
    try {
      const { manifests, hash } = await this.#options.load(directory);
      if (hash === this.#hash) return;
      await this.#use(manifests, hash);
      logger.info('Reloaded admission manifests', { plugin, directory });
    } catch (error) {
      logger.error(error, 'Failed to reload admission manifests, the old ones stay in use', { plugin, directory });
      metrics.failed(plugin);
    }
  }

  async #use(manifests: M, hash: string): Promise<void> {
    this.#hash = hash;
    this.#value = await this.#options.compile(manifests);
    this.#environment.metrics.succeeded(this.#options.plugin, hash);
  }
}
