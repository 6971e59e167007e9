import type { PodSpec, PodTemplateSpec } from '@apiserver/api/core/v1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { FieldPath } from '@apiserver/apimachinery/field';
import { validateLabelSelector } from '@apiserver/apimachinery/validation';
import { allContainers } from '@apiserver/resource-kit/pods';
import { validateLocalNonReservedPath } from '../validation/local-path.js';
import { validateNodeSelectorTerm } from '../validation/node-selector.js';
import { isHugePageResource } from '../validation/resource-name.js';
import { isWholeNumberOfPages } from '../validation/resource-requirements.js';
import { DELETION_COST, isDeletionCost } from './deletion-cost.js';
import { validateMatchLabelKeys, validateSpreadLabelKeysLoosely } from './match-label-keys.js';
import type { PodFeatures } from './pod-features.js';
import { sysctlNamespace } from './security/sysctl-namespace.js';
import { comparesTolerations, usesEnvFiles, usesRestartOfAll, usesRestartRules } from './used-features.js';

/**
 * Options for the validation of a pod's spec. Rules became stricter over the releases; an object stored under older
 * ones can still be updated.
 * Upstream: PodValidationOptions of pkg/apis/core/validation/validation.go
 */
export interface PodSpecRules {
  readonly features: PodFeatures;
  /** True for a pod, false for a template. */
  readonly isPod: boolean;
  /** The pod's metadata; absent for templates. */
  readonly podMeta?: ObjectMeta;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly allowInvalidLabelValueInRequiredNodeAffinity: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  /** Keys of labels in topology spread follow the rule before they were merged into selectors. */
  readonly looseSpreadLabelKeys: boolean;
  readonly allowNonLocalTokenPath: boolean;
  readonly allowNamespacedSysctlsInHostNamespaces: boolean;
  readonly allowRestartContainerForInitContainers: boolean;
  readonly allowVolumeDevicesWithoutHostUsers: boolean;
  readonly allowEmptyImageReference: boolean;
  /** Variables may be keys of files. */
  readonly allowEnvFiles: boolean;
  /** Containers may have restart policies of their own. */
  readonly allowRestartRules: boolean;
  /** A rule may restart all containers, and sidecars may have rules. */
  readonly allowRestartOfAll: boolean;
  /** Pods with users of their own may share the host's network. */
  readonly allowHostNetworkWithoutHostUsers: boolean;
  /** Tolerations may compare numbers. */
  readonly allowTolerationComparisons: boolean;
  /** Only `Recursive` is allowed, without SELinuxMount. */
  readonly onlyRecursiveSELinuxChange: boolean;
}

/** The rules for a pod that replaces `old`, or for a new one. */
export function podRules(features: PodFeatures, old?: StoredPod): PodSpecRules {
  return rulesFor(features, true, old);
}

/**
 * The rules for a template that replaces `old`. Upstream: GetValidationOptionsFromPodTemplate of pkg/api/pod/util.go
 */
export function podTemplateRules(features: PodFeatures, old?: PodTemplateSpec): PodSpecRules {
  return rulesFor(features, false, old);
}

/** The part of a stored pod, or template, that excuses faults of the new one. */
interface StoredPod {
  readonly spec: PodSpec;
  readonly metadata?: ObjectMeta;
}

function rulesFor(features: PodFeatures, isPod: boolean, old: StoredPod | undefined): PodSpecRules {
  const spec = old?.spec;
  const cost = old?.metadata?.annotations?.[DELETION_COST];
  return {
    features,
    isPod,
    allowInvalidDeletionCost: !features.PodDeletionCost || (cost !== undefined && !isDeletionCost(cost)),
    allowInvalidLabelValueInSelector: some(spec, hasInvalidAffinitySelector),
    allowInvalidLabelValueInRequiredNodeAffinity: some(spec, hasInvalidRequiredNodeAffinity),
    allowIndivisibleHugePages: some(spec, hasIndivisibleHugePages),
    allowInvalidSpreadSelector: some(spec, hasInvalidSpreadSelector),
    looseSpreadLabelKeys: hasLooseSpreadLabelKeys(features, spec),
    allowNonLocalTokenPath: some(spec, hasNonLocalTokenPath),
    allowNamespacedSysctlsInHostNamespaces: some(spec, hasNamespacedSysctls),
    allowRestartContainerForInitContainers: some(spec, hasRestartContainerForInitContainers),
    allowVolumeDevicesWithoutHostUsers: some(spec, hasVolumeDevicesWithoutHostUsers),
    allowEmptyImageReference: !isPod || some(spec, hasEmptyImageReference),
    allowEnvFiles: features.EnvFiles || some(spec, usesEnvFiles),
    allowRestartRules: features.ContainerRestartRules || some(spec, usesRestartRules),
    allowRestartOfAll: features.RestartAllContainersOnContainerExits || some(spec, usesRestartOfAll),
    allowHostNetworkWithoutHostUsers:
      features.UserNamespacesHostNetworkSupport || (spec?.hostNetwork === true && spec.hostUsers === false),
    allowTolerationComparisons: features.TaintTolerationComparisonOperators || some(spec, comparesTolerations),
    onlyRecursiveSELinuxChange: !features.SELinuxMount && spec?.securityContext?.seLinuxChangePolicy === undefined,
  };
}

function some(spec: PodSpec | undefined, test: (spec: PodSpec) => boolean): boolean {
  return spec !== undefined && test(spec);
}

const ANYWHERE = FieldPath.none;
const STRICT = { allowInvalidLabelValueInSelector: false };

function hasInvalidAffinitySelector({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((side) => [
    ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ labelSelector, namespaceSelector }) =>
      validateLabelSelector(labelSelector, STRICT, ANYWHERE).length > 0 ||
      validateLabelSelector(namespaceSelector, STRICT, ANYWHERE).length > 0,
  );
}

function hasInvalidRequiredNodeAffinity({ affinity }: PodSpec): boolean {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const faults = (allowInvalidLabelValue: boolean) =>
    (required?.nodeSelectorTerms ?? []).flatMap((term) =>
      validateNodeSelectorTerm(term, { allowInvalidLabelValue }, ANYWHERE),
    ).length;
  return faults(false) > faults(true);
}

function hasIndivisibleHugePages(spec: PodSpec): boolean {
  const lists = [spec.overhead ?? {}];
  for (const { resources } of allContainers(spec)) lists.push(resources?.limits ?? {}, resources?.requests ?? {});
  return lists.some((list) =>
    Object.entries(list).some(([name, amount]) => isHugePageResource(name) && !isWholeNumberOfPages(name, amount)),
  );
}

function hasInvalidSpreadSelector({ topologySpreadConstraints = [] }: PodSpec): boolean {
  return topologySpreadConstraints.some(
    ({ labelSelector }) => validateLabelSelector(labelSelector, STRICT, ANYWHERE).length > 0,
  );
}

/** A stored pod that violates the rule of the features makes the other one apply, so that it can be updated. */
function hasLooseSpreadLabelKeys(features: PodFeatures, old: PodSpec | undefined): boolean {
  if (!features.MatchLabelKeysInPodTopologySpread) return true;
  const isLoose = !features.MatchLabelKeysInPodTopologySpreadSelectorMerge;
  const validate = isLoose ? validateSpreadLabelKeysLoosely : validateMatchLabelKeys;
  const constraints = old?.topologySpreadConstraints ?? [];
  const isViolated = constraints.some((constraint) => validate(constraint, ANYWHERE).length > 0);
  return isViolated ? !isLoose : isLoose;
}

function hasNonLocalTokenPath({ volumes = [] }: PodSpec): boolean {
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(
    ({ serviceAccountToken }) =>
      serviceAccountToken !== undefined && validateLocalNonReservedPath(serviceAccountToken.path, ANYWHERE).length > 0,
  );
}

function hasNamespacedSysctls({ securityContext, hostNetwork, hostIPC }: PodSpec): boolean {
  return (securityContext?.sysctls ?? []).some(({ name }) => {
    const namespace = sysctlNamespace(name);
    return (namespace === 'net' && hostNetwork) || (namespace === 'ipc' && hostIPC);
  });
}

function hasRestartContainerForInitContainers({ initContainers = [] }: PodSpec): boolean {
  return initContainers.some(
    ({ restartPolicy, resizePolicy = [] }) =>
      restartPolicy !== 'Always' && resizePolicy.some((policy) => policy.restartPolicy === 'RestartContainer'),
  );
}

function hasVolumeDevicesWithoutHostUsers(spec: PodSpec): boolean {
  return (
    spec.hostUsers === false && [...allContainers(spec)].some(({ volumeDevices = [] }) => volumeDevices.length > 0)
  );
}

function hasEmptyImageReference({ volumes = [] }: PodSpec): boolean {
  return volumes.some(({ image }) => image !== undefined && !image.reference);
}
