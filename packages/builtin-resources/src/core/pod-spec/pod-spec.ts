import type { PodSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import {
  byteLength,
  inclusiveRangeMessage,
  nameIsDNSSubdomain,
  validateLabels,
  validateServiceAccountName,
} from '@apiserver/apimachinery/validation';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { validateDNS1123Label, validateDNS1123Subdomain, validateQualifiedName } from '../validation/dns-fields.js';
import { validateNamed } from '../validation/named-reference.js';
import { validateTolerations } from '../validation/tolerations.js';
import { validateAffinity, validateTopologySpread } from './affinity.js';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers/containers.js';
import { validateDNSConfig, validateHostAliases } from './pod-dns.js';
import { validatePodOS } from './pod-os.js';
import { validateOverhead, validatePodResources, validateResourceClaims } from './pod-resources.js';
import type { PodSpecRules } from './pod-spec-rules.js';
import type { PodSpecScope } from './pod-spec-scope.js';
import { validateSchedulingGroup } from './scheduling-groups.js';
import { validatePodSecurityContext } from './security/pod-security-context.js';
import { validateWindowsHostProcess } from './security/windows-options.js';
import { containersWithPath } from './visit-containers.js';
import { validateVolumes } from './volumes/volumes.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;
const MAX_HOSTNAME_BYTES = 64;

/**
 * Validates the spec of a pod or template, after defaults.
 * Upstream: ValidatePodSpec of pkg/apis/core/validation/validation.go
 */
export function validatePodSpec(spec: PodSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const { sound, errors } = validateVolumes(spec.volumes ?? [], rules, path.child('volumes'));
  const { schedulingGroup } = spec;
  const claimNames = new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== ''));
  const scope: PodSpecScope = { spec, rules, volumes: sound, claimNames };
  const gracePath = path.child('terminationGracePeriodSeconds');
  return [
    ...(spec.terminationGracePeriodSeconds === undefined ? [fieldRequired(gracePath, '')] : []),
    ...errors,
    ...validateResourceClaims(scope, path.child('resourceClaims')),
    ...validateContainers(scope, path.child('containers')),
    ...validateInitContainers(scope, path.child('initContainers')),
    ...validateEphemeralContainers(scope, path.child('ephemeralContainers')),
    ...validatePodResources(scope, path.child('resources')),
    ...validateHostNetworkPorts(spec, rules, path.child('containers')),
    ...validateScheduling(scope, path),
    ...validateHost(spec, rules, path),
    ...validateNames(spec, rules, path),
    ...validateOverhead(scope, path.child('overhead')),
    ...validatePodOS(spec, path),
    ...(schedulingGroup === undefined ? [] : validateSchedulingGroup(schedulingGroup, path.child('schedulingGroup'))),
    ...validateFileKeyVolumes(spec, path),
  ];
}

/** Validates policies and scheduling fields. */
function validateScheduling({ spec, rules }: PodSpecScope, path: FieldPath): FieldError[] {
  return [
    ...validateRequiredEnum(spec.restartPolicy, RESTART_POLICIES, path.child('restartPolicy')),
    ...validateRequiredEnum(spec.dnsPolicy, DNS_POLICIES, path.child('dnsPolicy')),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurityContext(spec, rules, path.child('securityContext')),
    ...validateAffinity(spec.affinity, rules, path.child('affinity')),
    ...validateDNSConfig(spec, { strict: rules.features.StrictIPCIDRValidation }, path.child('dnsConfig')),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, i) =>
      validateQualifiedName(conditionType, path.child('readinessGates').index(i).child('conditionType')),
    ),
    ...validateSchedulingGates(spec, path.child('schedulingGates')),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], rules, path.child('topologySpreadConstraints')),
    ...validateWindowsHostProcess(spec, path),
  ];
}

function validateSchedulingGates({ schedulingGates = [] }: PodSpec, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return schedulingGates.flatMap(({ name }, i) => {
    const errors = validateQualifiedName(name, path.index(i));
    if (seen.has(name)) errors.push(fieldDuplicate(path.index(i), name));
    seen.add(name);
    return errors;
  });
}

/** With the host's network, container ports are host ports; a template may leave them to the pod's defaults. */
function validateHostNetworkPorts(spec: PodSpec, { isPod }: PodSpecRules, path: FieldPath): FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, i) =>
    ports.flatMap(({ hostPort = 0, containerPort }, j) => {
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return [];
      const place = path.index(i).child('ports').index(j).child('hostPort');
      return [fieldInvalid(place, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

/** Validates namespaces shared with the host, and the hostname. Upstream: validateHostUsers and validatePodHostName */
function validateHost(spec: PodSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  return [
    ...(spec.hostUsers === false ? validateOwnUsers(spec, rules, path) : []),
    ...(spec.hostnameOverride === undefined ? [] : validateHostnameOverride(spec, spec.hostnameOverride, path)),
  ];
}

function validateOwnUsers(spec: PodSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const message = 'when `hostUsers` is false';
  const errors: FieldError[] = [];
  if (spec.hostNetwork && !rules.allowHostNetworkWithoutHostUsers) {
    errors.push(fieldForbidden(path.child('hostNetwork'), message));
  }
  // Upper case, as upstream.
  if (spec.hostPID) errors.push(fieldForbidden(path.child('HostPID'), message));
  if (spec.hostIPC) errors.push(fieldForbidden(path.child('HostIPC'), message));
  if (rules.allowVolumeDevicesWithoutHostUsers) return errors;
  for (const [{ volumeDevices = [] }, place] of containersWithPath(spec, path)) {
    if (volumeDevices.length > 0) errors.push(fieldForbidden(place.child('volumeDevices'), message));
  }
  return errors;
}

function validateHostnameOverride(spec: PodSpec, hostname: string, path: FieldPath): FieldError[] {
  const place = path.child('hostnameOverride');
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN) {
    errors.push(fieldForbidden(place, 'may not be specified when setHostnameAsFQDN is true'));
  }
  if (spec.hostNetwork) errors.push(fieldForbidden(place, 'may not be specified when hostNetwork is true'));
  if (byteLength(hostname) > MAX_HOSTNAME_BYTES) errors.push(fieldTooLong(place, MAX_HOSTNAME_BYTES));
  return [...errors, ...validateDNS1123Subdomain(hostname, place)];
}

/** Validates names of the pod and other objects, and a few numbers between them, in upstream's order. */
function validateNames(spec: PodSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const { serviceAccountName, nodeName, hostname, subdomain, priorityClassName, runtimeClassName } = spec;
  const { preemptionPolicy } = spec;
  return [
    ...(serviceAccountName
      ? validateNamed(serviceAccountName, path.child('serviceAccountName'), validateServiceAccountName)
      : []),
    ...(nodeName ? validateNamed(nodeName, path.child('nodeName'), nameIsDNSSubdomain) : []),
    ...validateActiveDeadline(spec.activeDeadlineSeconds, 1, path.child('activeDeadlineSeconds')),
    ...(hostname ? validateDNS1123Label(hostname, path.child('hostname')) : []),
    ...(subdomain ? validateDNS1123Label(subdomain, path.child('subdomain')) : []),
    ...validateTolerations(spec.tolerations ?? [], rules.allowTolerationComparisons, path.child('tolerations')),
    ...validateHostAliases(
      spec.hostAliases ?? [],
      { strict: rules.features.StrictIPCIDRValidation },
      path.child('hostAliases'),
    ),
    ...(priorityClassName ? validateNamed(priorityClassName, path.child('priorityClassName'), nameIsDNSSubdomain) : []),
    ...(runtimeClassName === undefined
      ? []
      : validateNamed(runtimeClassName, path.child('runtimeClassName'), nameIsDNSSubdomain)),
    ...(preemptionPolicy === undefined
      ? []
      : validateRequiredEnum(preemptionPolicy, PREEMPTION_POLICIES, path.child('preemptionPolicy'))),
  ];
}

/** The maximum run time of a pod in seconds; unlimited if absent. */
export function validateActiveDeadline(
  seconds: number | bigint | undefined,
  least: number,
  path: FieldPath,
): FieldError[] {
  if (seconds === undefined || (seconds >= least && seconds <= MAX_INT32)) return [];
  return [fieldInvalid(path, seconds, inclusiveRangeMessage(least, MAX_INT32))];
}

/** File keys must refer to emptyDir volumes, which containers of the pod write. Upstream: validateFileKeyRefVolumes */
function validateFileKeyVolumes(spec: PodSpec, path: FieldPath): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume] as const));
  const errors: FieldError[] = [];
  for (const [{ env = [] }, place] of containersWithPath(spec, path)) {
    for (const [i, { valueFrom }] of env.entries()) {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) continue;
      const namePath = place.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = volumes.get(name);
      if (volume === undefined) errors.push(fieldNotFound(namePath, name));
      else if (volume.emptyDir === undefined) {
        errors.push(fieldInvalid(namePath, name, 'referenced volume must be of type emptyDir'));
      }
    }
  }
  return errors;
}
