import type { ClusterRole, PolicyRule } from '@apiserver/api/rbac/v1';
import { type Clock, whenAborted } from '@apiserver/apimachinery/clock';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
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
  const { informer, clock, logger } = options;
  try {
    await informer.synced(signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  const queue = runWorkQueue({
    name: FIELD_MANAGER,
    sync: (name) => syncClusterRole(options, name),
    failed: (clusterRole, error) =>
      logger.error(error, 'Aggregating the rules of a cluster role failed', { clusterRole }),
    workers: 1,
    ...{ clock, logger, signal },
  });
  const enqueueAll = () => {
    for (const role of informer.list()) if (role.aggregationRule !== undefined) queue.add(role.metadata.name ?? '');
  };
  const enqueue = oncePerTurn(enqueueAll);
  const unsubscribe = informer.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  enqueue();
  await whenAborted(signal);
  unsubscribe();
  await queue.idle();
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
