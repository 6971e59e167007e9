import type { Pod } from '@apiserver/api/core/v1';
import type { PodDisruptionBudget } from '@apiserver/api/policy/v1';
import { newForbidden, newTooManyRequests, StatusError } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import { isParseError } from '@apiserver/apimachinery/text';
import { loadedObjects, type ResourceClient } from '@apiserver/apiserver-contracts';
import { type RetryPolicy, retryConflicts } from './retry-conflicts.js';

type Budgets = ResourceClient<PodDisruptionBudget>;

/** The resource in upstream's messages. */
const BUDGET = { group: 'policy', resource: 'poddisruptionbudget' };
/** More evictions that the controller has not yet processed indicate that there is no controller. */
const MAX_DISRUPTED_PODS = 2000;

/** The budgets that apply to a pod. One without a selector, or with an invalid one, applies to none. */
export async function budgetsOf(budgets: Budgets, { metadata }: Pod): Promise<readonly PodDisruptionBudget[]> {
  const { items } = await budgets.list(metadata.namespace ?? '');
  const counting: PodDisruptionBudget[] = [];
  for await (const budget of loadedObjects(items)) if (counts(budget, metadata.labels ?? {})) counting.push(budget);
  return counting;
}

function counts({ spec }: PodDisruptionBudget, labels: Readonly<Record<string, string>>): boolean {
  try {
    return labelSelectorAsSelector(spec.selector).matches(labels);
  } catch (error) {
    if (isParseError(error)) return false;
    throw error;
  }
}

/** One disruption of a budget. */
export interface Disruption {
  readonly pod: Pod;
  /** In the format of metadata. */
  readonly now: string;
  readonly dryRun: boolean;
  readonly retry: RetryPolicy;
}

/**
 * Takes one disruption from a budget and records the pod for its controller. Throws 429 if the budget has none left,
 * or if its controller has not yet processed the last change. `budget` may be outdated.
 */
export async function takeDisruption(
  budgets: Budgets,
  budget: PodDisruptionBudget,
  disruption: Disruption,
): Promise<void> {
  const { namespace = '', name = '' } = budget.metadata;
  let newest: PodDisruptionBudget | undefined = budget;
  const attempt = async () => {
    newest ??= await budgets.get(namespace, name);
    const charged = cloneJson(newest);
    newest = undefined;
    charge(charged, disruption);
    if (!disruption.dryRun) await budgets.update(namespace, charged, { subresource: 'status' });
  };
  // After the last attempt, upstream returns the conflict: its check for a timeout never applies.
  await retryConflicts(attempt, disruption.retry);
}

/** Mutates. Upstream: checkAndDecrement */
function charge(budget: PodDisruptionBudget, { pod, now }: Disruption): void {
  const { metadata, status } = budget;
  const { name = '' } = metadata;
  const { disruptionsAllowed = 0, disruptedPods = {} } = status;
  if (Number(status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw budgetViolation(budget);
  if (disruptionsAllowed < 0) throw newForbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw newForbidden(BUDGET, name, why);
  }
  if (disruptionsAllowed === 0) throw tooManyDisruptions(`The disruption budget ${name} ${refusalOf(status)}`, 0);
  status.disruptionsAllowed = disruptionsAllowed - 1;
  if (status.disruptionsAllowed === 0) setDisruptionsExhausted(budget, now);
  status.disruptedPods = { ...disruptedPods, [pod.metadata.name ?? '']: now };
}

/** The reason that a budget allows no disruption. Its counts are outdated if its controller failed. */
function refusalOf({ conditions = [], desiredHealthy = 0, currentHealthy = 0 }: PodDisruptionBudget['status']): string {
  const told = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const isTold = told?.status === 'False' && told.message !== '';
  const refusal = 'does not allow evicting pods currently';
  if (isTold && told.reason === 'SyncFailed') return `${refusal} because it failed sync: ${told.message}`;
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return isTold ? `${refusal} (${told.reason}): ${told.message}` : refusal;
}

/** Mutates. Upstream: UpdateDisruptionAllowedCondition of k8s.io/component-helpers/apps/poddisruptionbudget */
function setDisruptionsExhausted({ status }: PodDisruptionBudget, now: string): void {
  const { conditions = [] } = status;
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : now;
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: status.observedGeneration ?? 0,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  };
  status.conditions =
    old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
}

/** The error for a budget whose controller is behind, so that its disruptions are unknown. */
export function budgetViolation({ metadata }: PodDisruptionBudget): StatusError {
  return tooManyDisruptions(`The disruption budget ${metadata.name ?? ''} is still being processed by the server.`, 10);
}

function tooManyDisruptions(message: string, retryAfterSeconds: number): StatusError {
  const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";
  const { status } = newTooManyRequests(refusal, retryAfterSeconds);
  const details = { ...status.details, causes: [{ reason: 'DisruptionBudget', message }] };
  return new StatusError({ ...status, details });
}
