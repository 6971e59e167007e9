import { quote } from '@apiserver/apimachinery/text';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { AuthoritySource } from '../dynamic-certificates/authority-source.js';
import { verifyBundle } from '../dynamic-certificates/serving-content.js';

/**
 * Authorities in one key of a ConfigMap that another component follows: the last usable bundle.
 * Upstream: ConfigMapCAController of k8s.io/apiserver/pkg/server/dynamiccertificates
 */
export class ConfigMapAuthorities implements AuthoritySource {
  readonly name: string;
  readonly #logger: Logger;
  readonly #listeners = new Set<() => void>();
  #bundle = '';

  constructor(name: string, logger: Logger) {
    this.name = name;
    this.#logger = logger;
  }

  get contents(): readonly string[] {
    return [this.#bundle];
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The owner of the ConfigMap's informer follows it. */
  follow(): void {}

  /** Replaces the bundle. An unusable one is logged, and the old one stays. */
  take(bundle: string): void {
    if (bundle === this.#bundle) return;
    try {
      verifyBundle(this.name, bundle);
    } catch (error) {
      this.#logger.error(error, 'Unable to use the CA bundle of the ConfigMap', { name: quote(this.name) });
      return;
    }
    this.#bundle = bundle;
    for (const listener of this.#listeners) listener();
  }
}
