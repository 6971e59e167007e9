import type { Pod } from '@apiserver/api/core/v1';
import type { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import type { ControllerContext } from '../controller.js';
import { guardFinalizer } from '../finalizer-guard.js';
import { POD_GROUPS, PODS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';

/** Upstream: PodGroupProtectionFinalizer of pkg/apis/scheduling */
const FINALIZER = 'scheduling.k8s.io/podgroup-protection';
/** Upstream: newPodGroupProtectionController of cmd/kube-controller-manager/app/scheduling.go */
const WORKERS = 1;

/**
 * Keeps deleted PodGroups while active pods name them. Does nothing on a server without PodGroups.
 * Upstream: pkg/controller/scheduling/podgroupprotection
 */
export async function runPodGroupProtection(context: ControllerContext): Promise<void> {
  const { signal } = context;
  const { kinds } = await context.discovery();
  if (!kinds.has(`${POD_GROUPS.group}/${POD_GROUPS.version}/PodGroup`)) return;
  const pods = context.informer<Pod>(PODS);
  await pods.synced(signal);
  const { queue, unsubscribe } = guardFinalizer<PodGroup>(context, {
    finalizer: FINALIZER,
    queue: 'podgroupprotection',
    workers: WORKERS,
    addsMissing: false,
    objects: context.informer<PodGroup>(POD_GROUPS),
    client: context.client.resource<PodGroup>(POD_GROUPS),
    isUsed: ({ metadata: { namespace, name } }) =>
      pods.list(namespace).some((pod) => groupOf(pod) === name && !isTerminated(pod)),
  });
  const add = (pod: Pod) => {
    const group = groupOf(pod);
    if (group !== undefined) queue.add(`${pod.metadata.namespace}/${group}`);
  };
  const addIfTerminated = (pod: Pod) => {
    if (isTerminated(pod)) add(pod);
  };
  const podEvents = pods.subscribe({
    added: addIfTerminated,
    updated: (pod, old) => {
      addIfTerminated(pod);
      if (old.metadata.uid !== pod.metadata.uid) add(old);
    },
    deleted: add,
  });
  await runUntilAborted(signal, queue, [unsubscribe, podEvents]);
}

function groupOf({ spec }: Pod): string | undefined {
  return spec.schedulingGroup?.podGroupName;
}

function isTerminated({ status: { phase } }: Pod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
