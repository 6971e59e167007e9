import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 30_000;

/** A loop over definitions that have changed. */
export interface DefinitionController {
  /** For the log. */
  readonly name: string;
  /** Brings one definition to where it should be. A throw has it tried again. */
  sync(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void>;
  /** How many definitions are worked on at a time. Default: one. */
  readonly workers?: number;
  /** Other definitions that a change of one concerns. Default: none. */
  related?(definition: CustomResourceDefinition): readonly string[];
}

/** What a queue works with. */
export interface DefinitionQueueOptions {
  readonly informer: Informer<CustomResourceDefinition>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Runs a controller: every definition as soon as it has changed, never twice at a time, and again after a pause when that
 * failed.
 * Ends with the signal. Upstream: k8s.io/client-go/util/workqueue, as its controllers use it
 */
export function runController(controller: DefinitionController, options: DefinitionQueueOptions): void {
  const { informer, clock, logger, signal } = options;
  const { workers = 1 } = controller;
  const waiting = new Set<string>();
  const busy = new Set<string>();
  const failures = new Map<string, number>();

  const enqueue = (name: string): void => {
    waiting.add(name);
    startWorkers();
  };
  const startWorkers = (): void => {
    for (const name of waiting) {
      if (signal.aborted || busy.size >= workers) return;
      if (!busy.has(name)) void work(name);
    }
  };
  const work = async (name: string): Promise<void> => {
    waiting.delete(name);
    busy.add(name);
    await syncOne(name);
    busy.delete(name);
    startWorkers();
  };
  const syncOne = async (name: string): Promise<void> => {
    const definition = informer.get('', name);
    if (definition === undefined) return;
    try {
      await controller.sync(definition, signal);
      failures.delete(name);
    } catch (error) {
      if (signal.aborted || isNotFound(error)) return;
      const count = failures.get(name) ?? 0;
      failures.set(name, count + 1);
      // Somebody else was faster: the change that comes by the informer is the next try too.
      if (!isConflict(error))
        logger.error(error, 'Controller failed', { controller: controller.name, definition: name });
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
