import type {
  Container,
  PodAffinityTerm,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  Volume,
} from '@apiserver/api/core/v1';
import { appendAll, FieldPath } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { Quantity } from '@apiserver/apimachinery/values';
import { deprecatedNodeLabelWarning } from '../../../warnings/deprecated-node-labels.js';
import { nodeSelectorTermWarnings, usedNodeLabelWarning } from '../../../warnings/node-selector-terms.js';
import { claimSpecWarnings } from '../../persistent-volume-claim/warnings.js';
import { APP_ARMOR_ANNOTATION_PREFIX } from '../security/app-armor-profile.js';
import { containersWithPath } from '../visit-containers.js';
import { overlappingPathWarnings } from './path-warnings.js';
import { portWarnings } from './port-warnings.js';

/** The spec and annotations of a pod or template. */
export interface WarnedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

const NULL_SELECTOR = 'a null labelSelector results in matching no pod';

/** Deprecated volume types with their messages, in order. */
const DEPRECATED_VOLUMES: ReadonlyMap<keyof Volume, string> = new Map([
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]);
/** Field names in warnings, where they differ from the API's. */
const WARNED_AS: Readonly<Record<string, string>> = { storageos: 'storageOS' };

/** Upstream: SeccompPodAnnotationKey and SeccompContainerAnnotationKeyPrefix of k8s.io/api/core/v1 */
const SECCOMP_POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

/**
 * Warnings about a pod, or about a template at `path`.
 * Upstream: warningsForPodSpecAndMeta of pkg/api/pod/warnings.go
 */
export function podWarnings(pod: WarnedPod, path: FieldPath): readonly string[] {
  const { spec } = pod;
  const annotations = pod.metadata?.annotations ?? {};
  const specPath = path.child('spec');
  const annotationsPath = path.child('metadata', 'annotations');
  return [
    ...nodeSelectorWarnings(spec, specPath),
    ...topologySpreadWarnings(spec, specPath.child('topologySpreadConstraints')),
    ...Object.entries(DEPRECATED_ANNOTATIONS)
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, warning]) => `${annotationsPath.key(key)}: ${warning}`),
    ...(spec.volumes ?? []).flatMap((volume, i) => volumeWarnings(volume, specPath.child('volumes').index(i))),
    ...overlappingPathWarnings(spec.volumes ?? []),
    ...duplicateWarnings(
      (spec.hostAliases ?? []).map(({ ip }) => ip),
      specPath.child('hostAliases'),
      'ip',
    ),
    ...imagePullSecretWarnings(spec, specPath.child('imagePullSecrets')),
    ...fractionWarnings(spec.overhead, specPath.child('overhead')),
    ...seccompWarnings(spec.securityContext, annotations, SECCOMP_POD_ANNOTATION, annotationsPath),
    ...[...containersWithPath(spec, specPath)].flatMap(([container, place]) => [
      ...seccompWarnings(
        container.securityContext,
        annotations,
        `${SECCOMP_CONTAINER_PREFIX}${container.name}`,
        annotationsPath,
      ),
      ...appArmorWarnings(container, pod, path),
      ...containerWarnings(container, place),
    ]),
    ...portWarnings(spec, specPath),
    ...graceWarnings(spec, specPath.child('terminationGracePeriodSeconds')),
    ...podAffinityWarnings(spec, specPath.child('affinity')),
  ];
}

/** The warnings about the template of a workload. */
export function podTemplateWarnings(template: WarnedPod | undefined, path: FieldPath): readonly string[] {
  return template === undefined ? [] : podWarnings(template, path);
}

function nodeSelectorWarnings({ nodeSelector, affinity }: PodSpec, path: FieldPath): string[] {
  const warnings = Object.keys(nodeSelector ?? {}).flatMap((label) =>
    nodeLabelWarning(label, path.child('nodeSelector').key(label)),
  );
  const nodeAffinity = affinity?.nodeAffinity;
  const place = path.child('affinity', 'nodeAffinity');
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const requiredPath = place.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  for (const [i, term] of required.entries()) {
    appendAll(warnings, nodeSelectorTermWarnings(term, false, requiredPath.index(i)));
  }
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferredPath = place.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [i, { preference }] of preferred.entries()) {
    appendAll(warnings, nodeSelectorTermWarnings(preference, true, preferredPath.index(i).child('preference')));
  }
  return warnings;
}

function nodeLabelWarning(label: string, path: FieldPath): string[] {
  const warning = deprecatedNodeLabelWarning(label);
  return warning === undefined ? [] : [`${path}: ${warning}`];
}

function topologySpreadWarnings({ topologySpreadConstraints = [] }: PodSpec, path: FieldPath): string[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, i) => [
    ...usedNodeLabelWarning(topologyKey, path.index(i).child('topologyKey')),
    ...(labelSelector ? [] : [`${path.index(i).child('labelSelector')}: ${NULL_SELECTOR}`]),
  ]);
}

function volumeWarnings(volume: Volume, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const [field, warning] of DEPRECATED_VOLUMES) {
    if (volume[field] !== undefined) warnings.push(`${path.child(WARNED_AS[field] ?? field)}: ${warning}`);
  }
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template === undefined) return warnings;
  return [...warnings, ...claimSpecWarnings(template.spec, path.child('ephemeral', 'volumeClaimTemplate', 'spec'))];
}

function duplicateWarnings(values: readonly string[], path: FieldPath, field: string): string[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, i) => {
    const first = seen.get(value);
    if (first === undefined) seen.set(value, i);
    if (first === undefined) return [];
    return [`${path.index(i).child(field)}: duplicate ${field} ${quote(value)}`];
  });
}

function imagePullSecretWarnings({ imagePullSecrets = [] }: PodSpec, path: FieldPath): string[] {
  const empty = imagePullSecrets.flatMap(({ name }, i) =>
    name ? [] : [`${path.index(i).child('name')}: invalid empty name ${quote('')}`],
  );
  const names = imagePullSecrets.map(({ name = '' }) => name);
  return [...duplicateWarnings(names, path, 'name'), ...empty];
}

function containerWarnings({ resources, env = [] }: Pick<Container, 'resources' | 'env'>, path: FieldPath): string[] {
  const seen = new Set<string>();
  const hiding = env.flatMap(({ name, value = '', valueFrom }, i) => {
    const isKnown = seen.has(name);
    seen.add(name);
    // A variable may be extended by a later one with the same name.
    const reference = `$(${name})`;
    const isHiding = valueFrom !== undefined || value === reference || !value.includes(reference);
    if (!isKnown || !isHiding) return [];
    const hidden = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    return [`${path.child('env').index(i)}: ${hidden}`];
  });
  return [
    ...['memory', 'ephemeral-storage'].flatMap((name) =>
      (['limits', 'requests'] as const).flatMap((list) =>
        fractionWarning(resources?.[list], name, path.child('resources', list)),
      ),
    ),
    ...hiding,
  ];
}

/** Fractional bytes are impossible. */
function fractionWarnings(list: Readonly<Record<string, string>> | undefined, path: FieldPath): string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => fractionWarning(list, name, path));
}

function fractionWarning(list: Readonly<Record<string, string>> | undefined, name: string, path: FieldPath): string[] {
  const quantity = Quantity.parse(list?.[name] ?? '0');
  if (quantity.milliValue() % 1000n === 0n) return [];
  return [`${path.key(name)}: fractional byte value ${quote(quantity.toString())} is invalid, must be an integer`];
}

/** An annotation that a field has replaced, if the field is absent. */
function seccompWarnings(
  context: SecurityContext | PodSecurityContext | undefined,
  annotations: Readonly<Record<string, string>>,
  key: string,
  path: FieldPath,
): string[] {
  if (context?.seccompProfile !== undefined || !Object.hasOwn(annotations, key)) return [];
  return [`${path.key(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

/** For templates only: for a pod, the warning comes from the synchronization of annotations and fields. */
function appArmorWarnings(
  { name, securityContext }: Pick<Container, 'name' | 'securityContext'>,
  { metadata, spec }: WarnedPod,
  path: FieldPath,
): string[] {
  const key = `${APP_ARMOR_ANNOTATION_PREFIX}${name}`;
  const profile = spec.securityContext?.appArmorProfile ?? securityContext?.appArmorProfile;
  if (path === POD_ITSELF || profile !== undefined || metadata?.annotations?.[key] === undefined) return [];
  const place = path.child('metadata', 'annotations').key(key);
  return [`${place}: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

function graceWarnings({ terminationGracePeriodSeconds = 0 }: PodSpec, path: FieldPath): string[] {
  if (terminationGracePeriodSeconds >= 0) return [];
  return [`${path}: must be >= 0; negative values are invalid and will be treated as 1`];
}

function podAffinityWarnings({ affinity }: PodSpec, path: FieldPath): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((side) => {
    const required = affinity?.[side]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity?.[side]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const requiredPath = path.child(side, 'requiredDuringSchedulingIgnoredDuringExecution');
    const preferredPath = path.child(side, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...required.flatMap((term, i) => selectorWarnings(term, requiredPath.index(i))),
      ...preferred.flatMap(({ podAffinityTerm }, i) =>
        selectorWarnings(podAffinityTerm, preferredPath.index(i).child('podAffinityTerm')),
      ),
    ];
  });
}

function selectorWarnings({ labelSelector }: PodAffinityTerm, path: FieldPath): string[] {
  return labelSelector ? [] : [`${path.child('labelSelector')}: ${NULL_SELECTOR}`];
}

/** The path prefix in warnings about a pod itself. */
export const POD_ITSELF = FieldPath.none;
