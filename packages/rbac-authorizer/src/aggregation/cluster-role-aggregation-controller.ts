import type { ClusterRole, PolicyRule } from '@apiserver/api/rbac/v1';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { mutableCopy } from '../policy-objects.js';
import { semanticEqual } from '../semantic-equal.js';
import { aggregatedRules } from './aggregated-rules.js';

/** Dependencies of the controller. The informer covers all ClusterRoles; its owner disposes it. */
export interface ClusterRoleAggregationOptions {
  readonly informer: Informer<ClusterRole>;
  readonly client: Pick<ResourceClient<ClusterRole>, 'apply'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Initial delay before a retry, in milliseconds; doubled on each failure. */
const FIRST_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;

const FIELD_MANAGER = 'clusterrole-aggregation-controller';

/**
 * Keeps the rules of ClusterRoles with an aggregationRule current until the signal aborts; then resolves.
 * It applies the rules, so that it owns them and nothing else of a role.
 * Upstream: pkg/controller/clusterroleaggregation
 */
export async function runClusterRoleAggregation(
  options: ClusterRoleAggregationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { informer } = options;
  try {
    await informer.synced(signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  const queue = new RetryQueue(options.clock, signal);
  const enqueueAll = () => {
    for (const role of informer.list()) if (role.aggregationRule !== undefined) queue.add(role.metadata.name ?? '');
  };
  const enqueue = oncePerTurn(enqueueAll);
  const unsubscribe = informer.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  enqueue();
  try {
    for await (const name of queue) await work(options, queue, name);
  } finally {
    unsubscribe();
  }
}

/**
 * Many roles change in one event loop turn, and a new subscriber receives every existing role. All these events cause
 * one pass.
 */
function oncePerTurn(action: () => void): () => void {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    queueMicrotask(() => {
      due = false;
      action();
    });
  };
}

async function work(options: ClusterRoleAggregationOptions, queue: RetryQueue, name: string): Promise<void> {
  try {
    await syncClusterRole(options, name);
    queue.forget(name);
  } catch (error) {
    options.logger.error(error, 'Aggregating the rules of a cluster role failed', { clusterRole: name });
    queue.retry(name);
  }
}

async function syncClusterRole({ informer, client }: ClusterRoleAggregationOptions, name: string): Promise<void> {
  const role = informer.get('', name);
  if (role === undefined) return;
  const rules = aggregatedRules(role, informer.list());
  if (rules === undefined || semanticEqual(rules, role.rules)) return;
  const { apiVersion, kind } = role;
  const applied = {
    apiVersion,
    kind,
    metadata: { name },
    ...(rules.length > 0 && { rules: mutableCopy<PolicyRule[]>(rules) }),
  };
  await client.apply('', applied, { fieldManager: FIELD_MANAGER, force: true });
}

/** A queue of names, each at most once, processed one at a time. Ends when the signal aborts. */
class RetryQueue implements AsyncIterable<string> {
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #wake = Promise.withResolvers<void>();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true });
  }

  add(name: string): void {
    this.#waiting.add(name);
    this.#wake.resolve();
  }

  retry(name: string): void {
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    const pause = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
    void sleep(this.#clock, pause, this.#signal).then(() => this.add(name));
  }

  forget(name: string): void {
    this.#failures.delete(name);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    while (!this.#signal.aborted) {
      const [name] = this.#waiting;
      if (name === undefined) {
        this.#wake = Promise.withResolvers();
        await this.#wake.promise;
        continue;
      }
      this.#waiting.delete(name);
      yield name;
    }
  }
}
