import type { PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import { allContainers } from '@apiserver/resource-kit/pods';
import { roundUpAmounts, roundUpRequirements } from '../resource-amounts.js';
import { applyContainerDefaults } from './containers/container-defaults.js';
import { applyVolumeDefaults } from './volume-defaults.js';

const GRACE_SECONDS = 30;

/** Former annotations for init containers. Upstream: dropInitContainerAnnotations of pkg/apis/core/v1/conversion.go */
const INIT_CONTAINER_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

/**
 * Defaults of the spec in both pods and templates. Mutates.
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
  roundUpRequirements(spec.resources);
}

/** Normalizes aliases and former annotations of a pod or template. Mutates. */
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
 * Keeps both names of the service account equal, and drops empty lists whose presence has no meaning.
 * Upstream: Convert_v1_PodSpec_To_core_PodSpec
 */
function normalizePodSpec(spec: PodSpec): void {
  dropEmptyLists(spec);
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Keeps only empty lists that validation refuses: pod-level claims, and supplemental groups of Windows pods. */
function dropEmptyLists(spec: PodSpec): void {
  for (const { resources } of allContainers(spec)) {
    if (resources?.claims?.length === 0) delete resources.claims;
  }
  const { securityContext } = spec;
  if (securityContext?.supplementalGroups?.length === 0 && spec.os?.name !== 'windows') {
    delete securityContext.supplementalGroups;
  }
}
