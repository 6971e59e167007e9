import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import { untilAborted } from '../informer/until-aborted.js';
import { contentHashOf } from './configuration/load-configuration.js';
import { EncryptionError } from './encryption-error.js';
import type { EncryptionMetrics } from './encryption-metrics.js';
import { loadTransformerSet, type TransformerSet } from './transformer-set.js';

/** Interval of polls of the file. Upstream: EncryptionConfigFileChangePollDuration */
const POLL_MS = 60_000;
/** Delay after a change, in which a writer may complete the file. */
const SETTLE_MS = 100;
/** The first pause after a failure, doubled each time. Upstream: workqueue.DefaultTypedControllerRateLimiter */
const FIRST_RETRY_MS = 5;
/**
 * New plugins must become healthy within this time; the second constant is the interval of checks. Upstream:
 * validateNewTransformersHealth
 */
const WELL_WITHIN_MS = 10_000;
const ASK_MS = 100;

/** The file, and the transformers that follow it. */
export interface FollowOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EncryptionMetrics;
  current(): TransformerSet;
  /** Installs the next set. */
  swap(next: TransformerSet): void;
  readonly signal: AbortSignal;
}

/**
 * Applies changes of the file: once a minute as upstream, and soon after a change in the folder. An unusable file is
 * retried and changes nothing.
 * Upstream: k8s.io/apiserver/pkg/server/options/encryptionconfig/controller
 */
export function followConfiguration(options: FollowOptions): void {
  new Follower(options).start();
}

class Follower {
  readonly #options: FollowOptions;
  #cancel: () => void = () => {};
  /** A change was noticed, and a reload is scheduled. */
  #changed = false;
  #working: Promise<void> | undefined;
  #again = false;
  #failures = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  start(): void {
    const { signal, logger, file } = this.#options;
    const watcher = watchFolder(file, () => this.#settle());
    signal.addEventListener('abort', () => {
      this.#cancel();
      watcher?.close();
    });
    logger.info('Starting controller', { name: NAME });
    if (watcher === undefined) {
      logger.v(2)?.info('The folder cannot be watched; the file is looked at once a minute', { file });
    }
    this.#schedule(0);
  }

  #settle(): void {
    this.#changed = true;
    this.#schedule(SETTLE_MS);
  }

  /** Unless a poll is due soon anyway. */
  #scheduleNext(milliseconds: number): void {
    if (!this.#changed) this.#schedule(milliseconds);
  }

  #schedule(milliseconds: number): void {
    this.#cancel();
    if (this.#options.signal.aborted) return;
    this.#cancel = this.#options.clock.schedule(() => this.#look(), milliseconds);
  }

  #look(): void {
    this.#changed = false;
    if (this.#working !== undefined) {
      this.#again = true;
      return;
    }
    this.#working = this.#process().finally(() => {
      this.#working = undefined;
      if (!this.#again) return;
      this.#again = false;
      this.#scheduleNext(0);
    });
  }

  async #process(): Promise<void> {
    const { file, logger, metrics, signal } = this.#options;
    try {
      await this.#load();
      this.#failures = 0;
      this.#scheduleNext(POLL_MS);
    } catch (error) {
      if (signal.aborted) return;
      metrics.reloaded('failure');
      const reason = messageOf(error);
      const failure = new EncryptionError(`error processing encryption config file ${file}: ${reason}`, error);
      logger.error(failure, 'Unhandled Error');
      this.#scheduleNext(Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, POLL_MS));
    }
  }

  async #load(): Promise<void> {
    const { file, current, swap, logger, metrics, signal } = this.#options;
    if ((await contentHashOf(file)) === current().contentHash) return;
    const next = await loadTransformerSet({ file, reload: true }, this.#options);
    if (next.contentHash === current().contentHash || signal.aborted) {
      next.close();
      return;
    }
    await this.#waitUntilWell(next);
    if (signal.aborted) {
      next.close();
      return;
    }
    swap(next);
    metrics.reloaded('success');
    metrics.configured(next.contentHash);
    logger.v(2)?.info('Loaded new kms encryption config content', { name: NAME });
  }

  async #waitUntilWell(next: TransformerSet): Promise<void> {
    const { signal } = this.#options;
    const clock = durationClock(this.#options.clock);
    const deadline = clock.now() + Math.max(next.closeGracePeriod, WELL_WITHIN_MS);
    for (;;) {
      try {
        await next.check();
        return;
      } catch (error) {
        if (signal.aborted || clock.now() >= deadline) {
          next.close();
          const reason = messageOf(error);
          const what = 'health check for new transformers failed, polling error timed out waiting for the condition';
          throw new EncryptionError(`${what}: ${reason}`, error);
        }
        const pause = sleep(clock, ASK_MS);
        // The set is closed at once after the end.
        await untilAborted(pause, signal).catch(() => {});
      }
    }
  }
}

const NAME = 'encryption-provider-config-automatic-reload-controller';

/** Watches the folder, because files are often replaced by renaming, and their folders by symbolic links. */
function watchFolder(file: string, changed: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file) || name.startsWith('..')) changed();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
