import type { GroupResource } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { Transformer } from '../objects/transformer.js';
import type { EncryptionMetrics } from './encryption-metrics.js';
import { followConfiguration } from './follow-configuration.js';
import { loadTransformerSet, type TransformerSet } from './transformer-set.js';

/** The configuration file, and dependencies of its use. */
export interface EncryptionOptions {
  /** Upstream flag: --encryption-provider-config */
  readonly file: string;
  /** Upstream flag: --encryption-provider-config-automatic-reload */
  readonly reload: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EncryptionMetrics;
}

/** A health check of encryption. */
export interface EncryptionCheck {
  readonly name: string;
  /** Rejects with the reason if it fails. */
  check(): Promise<void>;
}

/** Encryption at rest, as configured by a file. */
export interface Encryption extends AsyncDisposable {
  /** Events are one resource in either group. The returned transformer follows every reload. */
  transformerFor(resource: GroupResource): Transformer;
  /** For /healthz and /readyz, not for /livez. */
  readonly checks: readonly EncryptionCheck[];
  /** Reloads the file when it changes, until `signal` aborts; absent without `reload`. */
  readonly follow?: (signal: AbortSignal) => void;
}

/**
 * Reads the file and starts its plugins. Throws an EncryptionError with upstream's messages.
 * Upstream: maybeApplyResourceTransformers of k8s.io/apiserver/pkg/server/options/etcd.go
 */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  // Clock timers do not keep the process alive, and nothing else may do so while a start waits for a plugin.
  const alive = setInterval(() => {}, ALIVE_MS);
  try {
    const first = await loadTransformerSet(options, options);
    options.metrics.configured(first.contentHash);
    return new FileEncryption(options, first);
  } finally {
    clearInterval(alive);
  }
}

const ALIVE_MS = 1000;

const CHECK = 'kms-providers';

class FileEncryption implements Encryption {
  readonly checks: readonly EncryptionCheck[];
  readonly follow?: (signal: AbortSignal) => void;
  readonly #clock: Clock;
  readonly #closing = new Set<() => void>();
  #current: TransformerSet;

  constructor(options: EncryptionOptions, first: TransformerSet) {
    this.#clock = options.clock;
    this.#current = first;
    const isChecked = options.reload || first.plugins.length > 0;
    this.checks = isChecked ? [{ name: CHECK, check: () => this.#current.check() }] : [];
    if (options.reload) {
      this.follow = (signal) =>
        followConfiguration({ ...options, current: () => this.#current, swap: (next) => this.#swap(next), signal });
    }
  }

  transformerFor({ group, resource }: GroupResource): Transformer {
    const name = { group: group === 'events.k8s.io' ? '' : group, resource };
    let set = this.#current;
    let transformer = set.transformerFor(name);
    const current = (): Transformer => {
      if (set !== this.#current) {
        set = this.#current;
        transformer = set.transformerFor(name);
      }
      return transformer;
    };
    return {
      fromStorage: (bytes, key) => current().fromStorage(bytes, key),
      toStorage: (bytes, key) => current().toStorage(bytes, key),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cancel of this.#closing) cancel();
    this.#current.close();
  }

  /** Pending users of the old plugins may finish. */
  #swap(next: TransformerSet): void {
    const old = this.#current;
    this.#current = next;
    const cancel = this.#clock.schedule(() => {
      this.#closing.delete(closeNow);
      old.close();
    }, old.closeGracePeriod);
    const closeNow = (): void => {
      cancel();
      old.close();
    };
    this.#closing.add(closeNow);
  }
}
