import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { ManifestEnvironment } from './manifest-environment.js';
import { ManifestError } from './manifest-error.js';

/** Manifests that were read and checked. */
export interface LoadedManifests<M> {
  readonly manifests: M;
  readonly hash: string;
  /** The number of policies or of webhook configurations. */
  readonly count: number;
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
 * Lines of the log.
 * Upstream: plugin/policy/manifest/source and plugin/webhook/manifest/source of k8s.io/apiserver/pkg/admission
 */
const LOG = {
  policy: {
    loaded: 'Loaded manifest-based admission policy configurations',
    countName: 'count',
    unreadable: 'reloading manifest config',
    unusable: 'compiling manifest config',
    reloaded: 'reloaded manifest config',
  },
  webhook: {
    loaded: 'Loaded manifest-based webhook configurations',
    countName: 'configurations',
    unreadable: 'reloading admission manifest config',
    unusable: 'manifest webhook accessor validation failed after reload',
    reloaded: 'reloaded admission manifest config',
  },
} as const;

/**
 * A value that is made from the manifests of a folder. It is made again when the content of the folder changes.
 * Unusable content changes nothing.
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
    const { directory: dir, content, plugin } = this.#options;
    const { logger, metrics, watch } = this.#environment;
    try {
      const { manifests, hash, count } = await this.#options.load(dir);
      this.#hash = hash;
      this.#value = await this.#options.compile(manifests);
      const { loaded, countName } = LOG[content];
      logger.info(loaded, { plugin, [countName]: count });
      metrics.succeeded(plugin, hash);
    } catch (error) {
      const place = `static ${content} manifests from ${quote(dir)}`;
      throw new ManifestError(`failed to load ${place}: ${messageOf(error)}`, { cause: error });
    }
    const failed = (error: unknown) => logger.error(error, 'watching manifest directory', { plugin, dir });
    watch(dir, { changed: () => this.#reload(), failed });
  }

  #reload(): void {
    this.#loading = this.#loading.then(() => this.#reloadOnce());
  }

  /** Does not reject. */
  async #reloadOnce(): Promise<void> {
    const { directory: dir, plugin, content } = this.#options;
    const { logger, metrics } = this.#environment;
    const log = LOG[content];
    let failure: string = log.unreadable;
    try {
      const { manifests, hash } = await this.#options.load(dir);
      if (hash === this.#hash) return;
      this.#hash = hash;
      failure = log.unusable;
      this.#value = await this.#options.compile(manifests);
      logger.info(log.reloaded, { plugin, dir });
      metrics.succeeded(plugin, hash);
    } catch (error) {
      logger.error(error, failure, { plugin, dir });
      metrics.failed(plugin);
    }
  }
}
