import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { type Clock, sliceTurn } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { noWorkQueueMetrics, type WorkQueueMetrics } from '@apiserver/registry-store';

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 30_000;

/** A control loop over changed definitions. */
export interface DefinitionController {
  /** For the log and the metrics of its queue: upstream's name. */
  readonly name: string;
  /** Syncs one definition. A throw causes a retry. */
  sync(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void>;
  /** Maximum number of definitions in parallel. Default: one. */
  readonly workers?: number;
  /** Other definitions that a change of this one affects. Default: none. */
  related?(definition: CustomResourceDefinition): readonly string[];
}

/** Dependencies of a queue. */
export interface DefinitionQueueOptions {
  readonly informer: Informer<CustomResourceDefinition>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Metrics of the queue. Default: none. */
  readonly metrics?: WorkQueueMetrics;
}

/**
 * Runs a controller: syncs every definition when it changes, never twice at a time, and again with a backoff after a
 * failure. Ends with the signal.
 * Upstream: k8s.io/client-go/util/workqueue, as its controllers use it
 */
export function runController(controller: DefinitionController, options: DefinitionQueueOptions): void {
  new DefinitionQueue(controller, options).start();
}

class DefinitionQueue {
  readonly #controller: DefinitionController;
  readonly #options: DefinitionQueueOptions;
  readonly #metrics: WorkQueueMetrics;
  /** Names, and since when they wait. */
  readonly #waiting = new Map<string, number>();
  readonly #busy = new Set<string>();
  /** Changed while they were synced; they queue up again behind all others. */
  readonly #changedMeanwhile = new Set<string>();
  readonly #failures = new Map<string, number>();

  constructor(controller: DefinitionController, options: DefinitionQueueOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#metrics = options.metrics ?? noWorkQueueMetrics;
  }

  start(): void {
    const { informer, signal } = this.#options;
    const changed = (definition: CustomResourceDefinition): void => {
      this.#enqueue(definition.metadata.name ?? '');
      this.#enqueueRelated(definition);
    };
    const deleted = (definition: CustomResourceDefinition): void => this.#enqueueRelated(definition);
    const unsubscribe = informer.subscribe({ added: changed, updated: changed, deleted });
    signal.addEventListener('abort', unsubscribe, { once: true });
  }

  #enqueueRelated(definition: CustomResourceDefinition): void {
    for (const name of this.#controller.related?.(definition) ?? []) this.#enqueue(name);
  }

  #enqueue(name: string): void {
    if (this.#busy.has(name)) this.#changedMeanwhile.add(name);
    else this.#wait(name);
    this.#startWorkers();
  }

  #wait(name: string): void {
    if (this.#waiting.has(name)) return;
    this.#waiting.set(name, this.#options.clock.now());
    this.#metrics.added(this.#waiting.size);
  }

  #startWorkers(): void {
    const { workers = 1 } = this.#controller;
    for (const name of this.#waiting.keys()) {
      if (this.#options.signal.aborted || this.#busy.size >= workers) return;
      void this.#work(name);
    }
  }

  async #work(name: string): Promise<void> {
    const { clock } = this.#options;
    const started = clock.now();
    const waited = started - (this.#waiting.get(name) ?? started);
    this.#waiting.delete(name);
    this.#busy.add(name);
    this.#metrics.started(name, this.#waiting.size, waited / 1_000);
    await this.#sync(name);
    this.#busy.delete(name);
    this.#metrics.done(name, (clock.now() - started) / 1_000);
    if (this.#changedMeanwhile.delete(name)) this.#wait(name);
    this.#startWorkers();
  }

  async #sync(name: string): Promise<void> {
    const { informer, signal } = this.#options;
    // A large definition takes some controllers tens of milliseconds, and all of them hear of it at the same moment.
    await sliceTurn();
    if (signal.aborted) return;
    const definition = informer.get('', name);
    if (definition === undefined) return;
    try {
      await this.#controller.sync(definition, signal);
      this.#failures.delete(name);
    } catch (error) {
      if (!signal.aborted && !isNotFound(error)) this.#failed(name, error);
    }
  }

  #failed(name: string, error: unknown): void {
    const { clock, logger } = this.#options;
    const count = this.#failures.get(name) ?? 0;
    this.#failures.set(name, count + 1);
    this.#metrics.retried();
    // After a conflict, the informer's next event also causes a retry.
    if (!isConflict(error)) {
      logger.error(error, 'Controller failed', { controller: this.#controller.name, definition: name });
    }
    clock.schedule(() => this.#enqueue(name), Math.min(FIRST_RETRY_MS * 2 ** count, MAX_RETRY_MS));
  }
}
