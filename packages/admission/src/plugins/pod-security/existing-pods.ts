import type { Pod } from '@apiserver/api/core/v1';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { quote } from '@apiserver/apimachinery/text';
import {
  type AdmissionAttributes,
  loadedObject,
  type ResourceClient,
  type StoredObject,
} from '@apiserver/apiserver-contracts';
import { evaluatePod } from '../../pod-security/evaluate-pod.js';
import { formatLevelVersion, type LevelVersion } from '../../pod-security/level-version.js';
import { formatReasons } from '../../pod-security/violation.js';

/** Upstream: defaultNamespaceMaxPodsToCheck, defaultNamespacePodCheckTimeout */
const MAX_PODS = 3000;
const MAX_MS = 1000;

/** Dependencies of the check. */
export interface ExistingPodsDependencies {
  readonly pods: ResourceClient<Pod>;
  isExempt(pod: Pod): boolean;
}

/** The pods that violate a policy for the same reasons. */
interface SimilarPods {
  /** The first one by name. */
  name: string;
  count: number;
}

/**
 * Evaluates the pods of a namespace whose enforced policy changes, and returns the warnings. It ends after a second or
 * half of the request's time, and after 3,000 pods. One pod of each controller comes before all further ones.
 * Upstream: EvaluatePodsInNamespace of k8s.io/pod-security-admission/admission/admission.go
 */
export async function checkExistingPods(
  dependencies: ExistingPodsDependencies,
  attributes: Pick<AdmissionAttributes, 'deadline' | 'signal'>,
  namespace: string,
  enforce: LevelVersion,
): Promise<readonly string[]> {
  const time = new CheckTime(attributes);
  let items: readonly StoredObject<Pod>[];
  try {
    ({ items } = await dependencies.pods.list(namespace));
  } catch {
    return ['failed to list pods while checking new PodSecurity enforce level'];
  }
  const { pods, total } = await prioritized(items, dependencies, time);
  const byReasons = new Map<string, SimilarPods>();
  let checked = 0;
  for (const pod of pods.slice(0, MAX_PODS)) {
    const violations = evaluatePod(enforce, pod);
    if (violations.length > 0) count(byReasons, formatReasons(violations), pod.metadata.name ?? '');
    checked++;
    if (time.isOver()) break;
    if (time.slice.over) await time.slice.yield();
  }
  return [
    ...(checked < total
      ? [`new PodSecurity enforce level only checked against the first ${checked} of ${total} existing pods`]
      : []),
    ...violationWarnings(byReasons, namespace, enforce),
  ];
}

interface PrioritizedPods {
  readonly pods: readonly Pod[];
  /** Pods that are not exempt, and those that the time did not suffice for. */
  readonly total: number;
}

/** Upstream: prioritizePods */
async function prioritized(
  items: readonly StoredObject<Pod>[],
  { isExempt }: ExistingPodsDependencies,
  time: CheckTime,
): Promise<PrioritizedPods> {
  const first: Pod[] = [];
  const further: Pod[] = [];
  const controllers = new Set<string>();
  let seen = 0;
  for (const item of items) {
    const pod = await loadedObject(item);
    seen++;
    if (!isExempt(pod)) {
      const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller)?.uid;
      const isFurther = controller !== undefined && controllers.has(controller);
      (isFurther ? further : first).push(pod);
      if (controller !== undefined) controllers.add(controller);
    }
    if (time.isOver()) break;
    if (time.slice.over) await time.slice.yield();
  }
  return { pods: [...first, ...further], total: first.length + further.length + items.length - seen };
}

function count(byReasons: Map<string, SimilarPods>, reasons: string, name: string): void {
  const similar = byReasons.get(reasons);
  if (similar === undefined) {
    byReasons.set(reasons, { name, count: 1 });
    return;
  }
  similar.count++;
  if (name < similar.name) similar.name = name;
}

function violationWarnings(
  byReasons: ReadonlyMap<string, SimilarPods>,
  namespace: string,
  enforce: LevelVersion,
): readonly string[] {
  if (byReasons.size === 0) return [];
  const policy = quote(formatLevelVersion(enforce));
  const warnings = [...byReasons].map(([reasons, pods]) => `${pods.name}${othersOf(pods)}: ${reasons}`).sort();
  return [
    `existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${policy}`,
    ...warnings,
  ];
}

function othersOf({ count }: SimilarPods): string {
  if (count === 1) return '';
  return count === 2 ? ' (and 1 other pod)' : ` (and ${count - 1} other pods)`;
}

/** The time of one check: the end of it, and the slices between which other requests run. */
class CheckTime {
  readonly #signal: AbortSignal;
  readonly #end: number;
  /** The loops leave the event loop to other requests after each. */
  readonly slice = new TimeSlice();

  constructor({ deadline, signal }: Pick<AdmissionAttributes, 'deadline' | 'signal'>) {
    const now = performance.now();
    const left = deadline === undefined ? MAX_MS : (deadline - now) / 2;
    this.#signal = signal;
    this.#end = now + Math.min(MAX_MS, left);
  }

  isOver(): boolean {
    return this.#signal.aborted || performance.now() >= this.#end;
  }
}
