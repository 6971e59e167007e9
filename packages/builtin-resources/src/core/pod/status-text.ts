import type { Container, ContainerStatus, Pod, PodStatus } from '@apiserver/api/core/v1';
import type { RowTime } from '@apiserver/apiserver-contracts';
import { isRestartableInitContainer } from '../pod-spec/visit-containers.js';

/** The columns about a pod's containers. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

/** Restarts of containers. */
interface Restarts {
  restarts: number;
  /** In milliseconds; 0 for never. */
  lastRestart: number;
}

/** Counts and texts gathered from the containers. */
interface Tally extends Restarts {
  status: string;
  ready: number;
}

/** Upstream: printPod of pkg/printers/internalversion/printers.go */
export function summarizePod(pod: Pod, now: RowTime): PodSummary {
  const { spec, status } = pod;
  const initContainers = spec.initContainers ?? [];
  const beside = initContainers.filter(isRestartableInitContainer);
  const tally: Tally = { status: initialStatus(status), ready: 0, restarts: 0, lastRestart: 0 };
  const tallyBeside: Restarts = { restarts: 0, lastRestart: 0 };
  const initializing = tallyInitContainers(pod, tally, tallyBeside);
  if (!initializing || isInitialized(status)) {
    Object.assign(tally, tallyBeside);
    tallyContainers(status, tally);
  }
  return {
    ready: `${tally.ready}/${(spec.containers ?? []).length + beside.length}`,
    status: deletionStatus(pod) ?? tally.status,
    restarts: restartsText(tally, now),
  };
}

function initialStatus({ phase = '', reason, conditions = [] }: PodStatus): string {
  const gated = conditions.some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : reason || phase;
}

/**
 * Counts up to the first unfinished init container, and the restartable ones also in `beside`. Returns whether there is
 * an unfinished one.
 */
function tallyInitContainers({ spec, status }: Pod, tally: Tally, beside: Restarts): boolean {
  const byName = new Map<string, Container>(
    (spec.initContainers ?? []).map((container) => [container.name, container]),
  );
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const isBeside = isRestartableInitContainer(byName.get(container.name));
    countRestarts(container, tally);
    if (isBeside) countRestarts(container, beside);
    const { terminated, waiting } = container.state;
    if (terminated?.exitCode === 0) continue;
    if (isBeside && container.started) {
      if (container.ready) tally.ready += 1;
      continue;
    }
    if (terminated !== undefined) tally.status = `Init:${terminationText(container)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') tally.status = `Init:${waiting.reason}`;
    else tally.status = `Init:${i}/${(spec.initContainers ?? []).length}`;
    return true;
  }
  return false;
}

/** The first container with a reason determines the text, except that a failure outweighs a completion. */
function tallyContainers(status: PodStatus, tally: Tally): void {
  let running = false;
  let failure = '';
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    countRestarts(container, tally);
    const { waiting, terminated, running: isRunning } = container.state;
    if (waiting?.reason) tally.status = waiting.reason;
    else if (terminated !== undefined) {
      tally.status = terminationText(container);
      if (terminated.exitCode !== 0) failure = tally.status;
    } else if (container.ready && isRunning !== undefined) {
      running = true;
      tally.ready += 1;
    }
  }
  if (tally.status !== 'Completed') return;
  if (running && hasCondition(status, 'Ready')) tally.status = 'Running';
  else if (failure !== '') tally.status = failure;
  else if (running) tally.status = 'NotReady';
}

function terminationText({ state }: ContainerStatus): string {
  const { reason, signal, exitCode } = state.terminated ?? {};
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

function countRestarts({ restartCount, lastState }: ContainerStatus, tally: Restarts): void {
  tally.restarts += restartCount;
  const finishedAt = lastState.terminated?.finishedAt;
  if (finishedAt) tally.lastRestart = Math.max(tally.lastRestart, Date.parse(finishedAt));
}

function restartsText({ restarts, lastRestart }: Tally, now: RowTime): string {
  if (restarts === 0 || lastRestart === 0) return String(restarts);
  return `${restarts} (${now.since(lastRestart)} ago)`;
}

function deletionStatus({ metadata, status }: Pod): string | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  if (status.reason === 'NodeLost') return 'Unknown';
  return isTerminal(status) ? undefined : 'Terminating';
}

/** Reports whether a pod has terminated. */
export function isTerminal({ phase }: PodStatus): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

/** The first condition counts. Upstream: isPodInitializedConditionTrue */
function isInitialized({ conditions = [] }: PodStatus): boolean {
  return conditions.find(({ type }) => type === 'Initialized')?.status === 'True';
}

/** Reports whether a condition of the type is True. */
export function hasCondition({ conditions = [] }: PodStatus, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}
