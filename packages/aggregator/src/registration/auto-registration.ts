import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueue, type WorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { managementOf } from './desired-api-service.js';

/** Dependencies of `AutoRegistration`. */
export interface AutoRegistrationOptions {
  readonly informer: Informer<APIService>;
  readonly client: Pick<ResourceClient<APIService>, 'create' | 'update' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queueMetrics?: WorkQueueMetrics;
}

/**
 * Maintains the APIServices of this server's own groups. An APIService without the management label is left
 * unchanged. So is one marked `onstart` that did not exist when this server started.
 * Upstream: k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go
 */
export class AutoRegistration {
  readonly #options: AutoRegistrationOptions;
  readonly #desired = new Map<string, APIService>();
  readonly #syncedOnce = new Set<string>();
  #presentAtStart: ReadonlySet<string> = new Set();
  /** Undefined before `run`, which syncs all APIServices added until then. */
  #queue: WorkQueue | undefined = undefined;

  constructor(options: AutoRegistrationOptions) {
    this.#options = options;
  }

  /** Registers an APIService, managed as its label says. */
  add(apiService: APIService): void {
    const name = apiService.metadata.name ?? '';
    this.#desired.set(name, apiService);
    this.#queue?.add(name);
  }

  /** Removes an APIService: it is deleted if it is managed. */
  remove(name: string): void {
    this.#desired.delete(name);
    this.#queue?.add(name);
  }

  /** Resolves after one attempt for each registered APIService. Continues until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { informer, clock, logger, queueMetrics } = this.#options;
    await informer.synced(signal);
    this.#presentAtStart = new Set(informer.list().map(({ metadata }) => metadata.name ?? ''));
    const queue = runWorkQueue({
      name: 'autoregister',
      sync: (name) => this.#sync(name),
      ...(queueMetrics && { metrics: queueMetrics }),
      clock,
      logger,
      signal,
    });
    this.#queue = queue;
    const changed = ({ metadata: { name = '' } }: APIService): void => queue.add(name);
    const unsubscribe = informer.subscribe({ added: changed, updated: changed, deleted: changed });
    signal.addEventListener('abort', unsubscribe, { once: true });
    for (const name of new Set([...this.#desired.keys(), ...this.#presentAtStart])) queue.add(name);
    await queue.idle();
  }

  async #sync(name: string): Promise<void> {
    await this.#reconcile(name, this.#syncedOnce.has(name));
    this.#syncedOnce.add(name);
  }

  async #reconcile(name: string, hasSynced: boolean): Promise<void> {
    const { informer, client } = this.#options;
    const desired = this.#desired.get(name);
    const current = informer.get('', name);
    if (managementOf(desired) === 'onstart' && hasSynced) return;
    if (current === undefined) {
      if (desired !== undefined) await client.create('', desired).catch(unlessOvertaken(isAlreadyExists));
      return;
    }
    const management = managementOf(current);
    if (management === undefined) return;
    if (management === 'onstart' && (hasSynced || !this.#presentAtStart.has(name))) return;
    const changed = desired === undefined ? this.#remove(current) : this.#change(current, desired);
    await changed.catch(unlessOvertaken((error) => isNotFound(error) || isConflict(error)));
  }

  /** An APIService that a user has created under the same name in the meantime stays. */
  async #remove({ metadata: { name = '', uid = '' } }: APIService): Promise<void> {
    await this.#options.client.delete('', name, { preconditions: { uid } });
  }

  async #change(current: APIService, { spec }: APIService): Promise<void> {
    if (equalJson(current.spec, spec)) return;
    await this.#options.client.update('', { ...cloneJson(current), spec });
  }
}

/**
 * Handles errors of a write: one that a concurrent write caused counts as a success, whose event causes another
 * attempt.
 */
function unlessOvertaken(isOvertaken: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isOvertaken(error)) throw error;
  };
}
