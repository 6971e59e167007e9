import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { type Clock, sliceTurn } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { noWorkQueueMetrics, type WorkQueueMetrics } from '@apiserver/registry-store';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 30_000;

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
  const { informer, clock, logger, signal, metrics = noWorkQueueMetrics } = options;
  const { workers = 1 } = controller;
  /** Names, and since when they wait. */
  const waiting = new Map<string, number>();
  const busy = new Set<string>();
  /** Changed while they were synced; they queue up again behind all others. */
  const changedMeanwhile = new Set<string>();
  const failures = new Map<string, number>();

  const wait = (name: string): void => {
    if (waiting.has(name)) return;
    waiting.set(name, clock.now());
    metrics.added(waiting.size);
  };
  const enqueue = (name: string): void => {
    if (busy.has(name)) changedMeanwhile.add(name);
    else wait(name);
    startWorkers();
  };
  const startWorkers = (): void => {
    for (const name of waiting.keys()) {
      if (signal.aborted || busy.size >= workers) return;
      void work(name);
    }
  };
  const work = async (name: string): Promise<void> => {
    const started = clock.now();
    const waited = started - (waiting.get(name) ?? started);
    waiting.delete(name);
    busy.add(name);
    metrics.started(name, waiting.size, waited / 1_000);
    await syncOne(name);
    busy.delete(name);
    metrics.done(name, (clock.now() - started) / 1_000);
    if (changedMeanwhile.delete(name)) wait(name);
    startWorkers();
  };
  const syncOne = async (name: string): Promise<void> => {
    // A large definition takes some controllers tens of milliseconds, and all of them hear of it at the same moment.
    await sliceTurn();
    if (signal.aborted) return;
    const definition = informer.get('', name);
    if (definition === undefined) return;
    try {
      await controller.sync(definition, signal);
      failures.delete(name);
    } catch (error) {
      if (signal.aborted || isNotFound(error)) return;
      const count = failures.get(name) ?? 0;
      failures.set(name, count + 1);
      metrics.retried();
      // After a conflict, the informer's next event also causes a retry.
      if (!isConflict(error)) {
        logger.error(error, 'Controller failed', { controller: controller.name, definition: name });
      }
      clock.schedule(() => enqueue(name), Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS));
    }
  };
  const changed = (definition: CustomResourceDefinition): void => {
    enqueue(definition.metadata.name ?? '');
    for (const name of controller.related?.(definition) ?? []) enqueue(name);
  };
  const unsubscribe = informer.subscribe({
    added: changed,
    updated: changed,
    deleted: (definition) => {
      for (const name of controller.related?.(definition) ?? []) enqueue(name);
    },
  });
  signal.addEventListener('abort', unsubscribe, { once: true });
}
