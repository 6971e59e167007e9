import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { type Clock, durationClock, repeat, sleep } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import type { FlowControl } from '@apiserver/flowcontrol';
import { UpdateBudget } from './update-budget.js';

type StatusChange = ReturnType<FlowControl['configure']>[number];

/** Dependencies of the consumer. The owner of the informers disposes them. */
export interface FlowControlConsumerOptions {
  readonly flowControl: Pick<FlowControl, 'configure' | 'adjust'>;
  readonly levels: Informer<PriorityLevelConfiguration>;
  readonly schemas: Informer<FlowSchema>;
  readonly client: Pick<ResourceClient<FlowSchema>, 'apply'>;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';

/** Milliseconds between two adjustments of the limits. Upstream: borrowingAdjustmentPeriod */
const ADJUSTMENT_PERIOD_MS = 10_000;
/** Milliseconds before a retry, doubled on each failure. */
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 8 * 3_600_000;

/**
 * Takes over the objects whenever they change, and writes the status of flow schemas, until the signal aborts.
 * Upstream: configController of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export async function consumeFlowControl(options: FlowControlConsumerOptions, signal: AbortSignal): Promise<void> {
  const { flowControl, levels, schemas, clock } = options;
  await Promise.all([levels.synced(signal), schemas.synced(signal)]);
  const consumer = new Consumer(options, signal);
  const changed = () => consumer.changed();
  const subscriptions = [
    levels.subscribe({
      added: changed,
      deleted: changed,
      updated: (level, old) => void (equalJson(level.spec, old.spec) || changed()),
    }),
    schemas.subscribe({
      added: changed,
      deleted: changed,
      // Another server that sees other levels may have written another status.
      updated: (schema, old) =>
        void ((equalJson(schema.spec, old.spec) && equalJson(schema.status, old.status)) || changed()),
    }),
  ];
  repeat(clock, ADJUSTMENT_PERIOD_MS, () => flowControl.adjust(), signal);
  try {
    await consumer.run();
  } finally {
    for (const unsubscribe of subscriptions) unsubscribe();
  }
}

class Consumer {
  readonly #options: FlowControlConsumerOptions;
  readonly #signal: AbortSignal;
  readonly #budget: UpdateBudget;
  #wake = Promise.withResolvers<void>();
  #failures = 0;

  constructor(options: FlowControlConsumerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#budget = new UpdateBudget(() => durationClock(options.clock).now());
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  changed(): void {
    this.#wake.resolve();
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#wake.promise;
      if (this.#signal.aborted) return;
      this.#wake = Promise.withResolvers();
      await this.#sync();
    }
  }

  async #sync(): Promise<void> {
    const { flowControl, levels, schemas, logger } = this.#options;
    const changes = flowControl.configure(levels.list(), schemas.list(), () => this.changed());
    try {
      if (await this.#write(changes)) this.#later(1_000 * (30 + Math.floor(45 * this.#options.random())));
      this.#failures = 0;
    } catch (error) {
      if (this.#signal.aborted) return;
      logger.error(error, 'Unable to write the status of a flow schema');
      this.#later(Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS));
    }
  }

  #later(milliseconds: number): void {
    void sleep(this.#options.clock, milliseconds, this.#signal).then(() => this.changed());
  }

  /** Returns true if statuses remain that were written too often. Tries all, and throws the first error. */
  async #write(changes: readonly StatusChange[]): Promise<boolean> {
    const failures: unknown[] = [];
    const due = changes.filter(({ flowSchema }) => this.#budget.take(flowSchema.metadata.name ?? ''));
    for (const change of due) {
      await this.#apply(change).catch((error: unknown) => {
        if (!isNotFound(error)) failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
    return due.length < changes.length;
  }

  async #apply({ flowSchema, condition }: StatusChange): Promise<void> {
    const { client, clock } = this.#options;
    const { apiVersion, kind, metadata } = flowSchema;
    const { type, status, reason, message } = condition;
    const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const applied = {
      apiVersion,
      kind,
      metadata: { name: metadata.name ?? '' },
      status: { conditions: [{ type, status, lastTransitionTime, reason, message }] },
    };
    await client.apply('', applied, { fieldManager: FIELD_MANAGER, force: true, subresource: 'status' });
  }
}
