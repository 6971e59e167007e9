import type { Pod } from '@apiserver/api/core/v1';
import { Eviction, type PodDisruptionBudget } from '@apiserver/api/policy/v1';
import type { DeleteOptions, Preconditions } from '@apiserver/apimachinery';
import { isConflict, newBadRequest, newConflict, plainFailure } from '@apiserver/apimachinery/errors';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type {
  Creater,
  GenericStore,
  ResourceClient,
  ResourceDefinition,
  VerbContext,
} from '@apiserver/apiserver-contracts';
import { successStatus } from '../../review/success-status.js';
import { setPodCondition } from './conditions.js';
import { budgetsOf, budgetViolation, takeDisruption } from './disruption-budgets.js';
import { type RetryPolicy, retryConflicts } from './retry-conflicts.js';
import { hasCondition } from './status-text.js';

/** Dependencies of evictions on the server. */
export interface EvictionOptions {
  /** Reads and writes budgets as a client would. */
  readonly budgets: ResourceClient<PodDisruptionBudget>;
  readonly retry: RetryPolicy;
}

/**
 * The definition of pods for one server with eviction: deletion limited by disruption budgets.
 * Upstream: EvictionREST of pkg/registry/core/pod/storage/eviction.go
 */
export function withEviction(definition: ResourceDefinition<Pod>, options: EvictionOptions): ResourceDefinition<Pod> {
  const eviction = {
    strategy: definition.strategy,
    verbs: ['create'],
    schema: Eviction,
    acceptsVersions: ['v1beta1'],
    override: (pods: GenericStore<Pod>) => evictions(pods, options),
  };
  return { ...definition, subresources: { ...definition.subresources, eviction } };
}

/** One eviction in progress. */
interface EvictionOrder {
  readonly pods: GenericStore<Pod>;
  readonly context: VerbContext;
  readonly name: string;
  /** The client's options. */
  readonly options: DeleteOptions;
}

function evictions(pods: GenericStore<Pod>, { budgets, retry }: EvictionOptions): Creater<Eviction> {
  return {
    async create(context, eviction, validate, { dryRun }) {
      const name = context.requestInfo?.name ?? '';
      if (name !== (eviction.metadata.name ?? '')) {
        throw newBadRequest('name in URL does not match name in Eviction object');
      }
      const options = withDryRun(eviction.deleteOptions, dryRun);
      await validate(cloneJson(eviction));
      const order: EvictionOrder = { pods, context, name, options };
      const guarded = await deleteUnguarded(order, retry);
      if (guarded !== undefined) await deleteGuarded(order, guarded, { budgets, retry });
      return successStatus<Eviction>();
    },
  };
}

/** A dry run may be requested in the query, in the body, or in both alike. Upstream: propagateDryRun */
function withDryRun(options: Eviction['deleteOptions'], requested: readonly string[] | undefined): DeleteOptions {
  const own = options?.dryRun ?? [];
  const query = requested ?? [];
  if (own.length > 0 && query.length > 0 && !equalJson(own, query)) {
    const printed = (values: readonly string[]) => `[${values.join(' ')}]`;
    const message = `Non-matching dry-run options in request and content: ${printed(query)} and ${printed(own)}`;
    throw plainFailure(500, message);
  }
  const dryRun = own.length > 0 ? own : query;
  const { gracePeriodSeconds: seconds, ...others } = options ?? {};
  const grace = seconds === undefined || seconds === null ? undefined : { gracePeriodSeconds: seconds };
  return { ...others, ...grace, ...(dryRun.length > 0 ? { dryRun } : undefined) };
}

/** Deletes a pod that no budget protects because it does not run. Returns the pod if budgets must be checked. */
function deleteUnguarded(order: EvictionOrder, retry: RetryPolicy): Promise<Pod | undefined> {
  const { pods, context, name, options } = order;
  const attempt = async () => {
    const { object: pod } = await pods.get(context, name, {});
    if (!isUnguarded(pod)) return pod;
    // A pod about to run must not change between this check and its deletion.
    const mustBeSame = pod.status.phase === 'Pending' && !pod.metadata.deletionTimestamp;
    await markAndDelete(order, mustBeSame && !pinned(options) ? atVersionOf(pod, options) : options);
    return undefined;
  };
  return pinned(options) ? attempt() : retryConflicts(attempt, retry);
}

function isUnguarded({ metadata, status }: Pod): boolean {
  return ['Succeeded', 'Failed', 'Pending'].includes(status.phase ?? '') || Boolean(metadata.deletionTimestamp);
}

function pinned(options: DeleteOptions): boolean {
  return options.preconditions?.resourceVersion !== undefined;
}

function atVersionOf({ metadata: { resourceVersion } }: Pod, options: DeleteOptions): DeleteOptions {
  if (resourceVersion === undefined) return options;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

/** Deletes a running pod if its budget allows it. */
async function deleteGuarded(order: EvictionOrder, pod: Pod, { budgets, retry }: EvictionOptions): Promise<void> {
  const { options } = order;
  const [budget, ...others] = await budgetsOf(budgets, pod);
  if (others.length > 0) {
    throw plainFailure(
      500,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  // A pod that is not ready is not charged to its budget, but must still be unready when it is deleted.
  const isFree = budget !== undefined && !hasCondition(pod.status, 'Ready') && leavesUnhealthyAlone(budget);
  if (budget !== undefined && !isFree) {
    const dryRun = (options.dryRun ?? []).length > 0;
    await takeDisruption(budgets, budget, { pod, now: order.pods.now(), dryRun, retry });
  }
  try {
    await markAndDelete(order, isFree ? atVersionOf(pod, options) : options);
  } catch (error) {
    if (isFree && !pinned(options) && isConflict(error)) throw budgetViolation(budget);
    throw error;
  }
}

function leavesUnhealthyAlone({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Adds a condition with the reason to the pod's status, then deletes it. Upstream: addConditionAndDeletePod */
async function markAndDelete({ pods, context, name }: EvictionOrder, options: DeleteOptions): Promise<void> {
  if ((options.dryRun ?? []).length > 0) {
    await pods.delete(context, name, async () => {}, options);
    return;
  }
  const marked = await pods.modify(context, name, {}, (draft, current) => {
    refuseAnother(current, options.preconditions ?? {});
    setPodCondition(draft.status, DISRUPTED, pods.now());
  });
  // The condition was our own write.
  const after = pinned(options) ? atVersionOf(marked.object, options) : options;
  await pods.delete(context, name, async () => {}, after);
}

/** The texts differ from those of other preconditions, and the resource is the kind, as upstream. */
function refuseAnother({ metadata }: Pod, { uid, resourceVersion: version }: Preconditions): void {
  const conflict = (fault: string) => newConflict({ group: '', resource: 'Pod' }, metadata.name ?? '', fault);
  if (uid && uid !== metadata.uid) {
    const record = `the UID in record (${metadata.uid ?? ''})`;
    throw conflict(
      `the UID in the precondition (${uid}) does not match ${record}. The object might have been deleted and then recreated`,
    );
  }
  if (version && version !== metadata.resourceVersion) {
    const record = `the ResourceVersion in record (${metadata.resourceVersion ?? ''})`;
    throw conflict(
      `the ResourceVersion in the precondition (${version}) does not match ${record}. The object might have been modified`,
    );
  }
}

const DISRUPTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const;
