import type { PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import { roundUpAmounts } from '../resource-amounts.js';
import { applyContainerDefaults } from './containers/container-defaults.js';
import { allContainers } from './visit-containers.js';
import { applyVolumeDefaults } from './volume-defaults.js';

const GRACE_SECONDS = 30;

/**
 * Annotations by which init containers were once written.
 * Upstream: dropInitContainerAnnotations of pkg/apis/core/v1/conversion.go
 */
const INIT_CONTAINER_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

/**
 * The defaults that the spec of a pod has alike in a pod and in a template. Mutates.
 * Upstream: SetDefaults_PodSpec of pkg/apis/core/v1/defaults.go and what runs for the fields
 */
export function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume);
  for (const container of allContainers(spec)) applyContainerDefaults(container);
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= GRACE_SECONDS;
  spec.schedulerName ||= 'default-scheduler';
  roundUpAmounts(spec.overhead);
}

/** What a pod and a template have beside their spec's fields: aliases and annotations of old. Mutates. */
export function normalizePodTemplate(template: PodTemplateSpec | undefined): void {
  if (template === undefined) return;
  normalizePodSpec(template.spec);
  const { metadata } = template;
  if (metadata?.annotations === undefined) return;
  if (!INIT_CONTAINER_ANNOTATIONS.some((key) => Object.hasOwn(metadata.annotations ?? {}, key))) return;
  const kept = Object.entries(metadata.annotations).filter(([key]) => !INIT_CONTAINER_ANNOTATIONS.includes(key));
  metadata.annotations = Object.fromEntries(kept);
}

/**
 * A service account has two names; both say the same. Empty lists go where nobody asks whether they are there.
 * Upstream: Convert_v1_PodSpec_To_core_PodSpec
 */
function normalizePodSpec(spec: PodSpec): void {
  dropEmptyLists(spec);
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Validation refuses the empty lists that stay: claims of a whole pod, and groups of a pod for Windows. */
function dropEmptyLists(spec: PodSpec): void {
  for (const { resources } of allContainers(spec)) {
    if (resources?.claims?.length === 0) delete resources.claims;
  }
  const { securityContext } = spec;
  if (securityContext?.supplementalGroups?.length === 0 && spec.os?.name !== 'windows') {
    delete securityContext.supplementalGroups;
  }
}
