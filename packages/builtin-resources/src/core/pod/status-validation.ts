import type { Container, ContainerRestartRule, ContainerStatus, Pod, PodSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain, validateImmutableField } from '@apiserver/apimachinery/validation';
import { parseIPAddress } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { allContainers } from '@apiserver/resource-kit/pods';
import { validatePodAnnotationsUpdate } from '../pod-spec/pod-annotations.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { type PodSpecRules, podRules } from '../pod-spec/pod-spec-rules.js';
import { validateQualifiedName } from '../validation/dns-fields.js';
import { type LegacyIPRules, validateLegacyIP } from '../validation/ip-fields.js';
import { validateNamed } from '../validation/named-reference.js';
import {
  validateAllocatedResources,
  validateClaimStatuses,
  validateContainerUsers,
  validateImageVolumes,
} from './container-status-validation.js';
import { validateExtendedResourceClaim } from './extended-resource-claim.js';
import { validateNodeResourceClaims } from './node-resource-claims.js';
import { METADATA } from './validation.js';

const STATUS = FieldPath.of('status');
const MAX_ADDRESSES = 2;
const NO_WAY_BACK = 'may not be transitioned to non-terminated state';
/** Conditions whose type is not validated. */
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** Upstream: ValidatePodStatusUpdate of pkg/apis/core/validation/validation.go */
export function validatePodStatusUpdate(pod: Pod, old: Pod, features: PodFeatures): readonly FieldError[] {
  const { status } = pod;
  const rules = podRules(features, old);
  const strict = features.StrictIPCIDRValidation;
  return [
    ...validateBuiltInObjectMetaUpdate(pod.metadata, old.metadata),
    ...validatePodAnnotationsUpdate(pod, old, rules, METADATA.child('annotations')),
    ...validateConditions(pod),
    ...validateNominatedNode(pod, old, features),
    ...validateGeneration(status.observedGeneration, STATUS.child('observedGeneration')),
    ...validateQOSClass(pod, old),
    ...validateTransitions(pod, old, rules),
    ...validateEphemeralTransitions(pod, old),
    ...validateClaimStatuses(pod),
    ...validateExtendedResourceClaim(pod),
    ...validateNodeResourceClaims(pod),
    ...validateAddresses(status.podIPs, { strict, existing: ipsOf(old.status.podIPs) }, STATUS.child('podIPs')),
    ...validateFirstHostIP(pod),
    ...validateAddresses(status.hostIPs, { strict, existing: ipsOf(old.status.hostIPs) }, STATUS.child('hostIPs')),
    ...validateContainerUsers(pod),
    ...validateAllocatedResources(pod),
    ...(features.ImageVolumeWithDigest ? validateImageVolumes(pod) : []),
  ];
}

/** Upstream: validatePodConditions */
function validateConditions({ status }: Pod): FieldError[] {
  return (status.conditions ?? []).flatMap(({ type, observedGeneration }, i) => {
    const path = STATUS.child('conditions').index(i);
    const errors = validateGeneration(observedGeneration, path.child('observedGeneration'));
    // Upper case, as upstream.
    return SYSTEM_CONDITIONS.includes(type) ? errors : [...errors, ...validateQualifiedName(type, path.child('Type'))];
  });
}

/** A new nomination must be a node's name, and the pod must not be bound yet. */
function validateNominatedNode({ status }: Pod, { spec, status: old }: Pod, features: PodFeatures): FieldError[] {
  const { nominatedNodeName: name } = status;
  const path = STATUS.child('nominatedNodeName');
  if (!name || name === old.nominatedNodeName) return [];
  const errors = validateNamed(name, path, nameIsDNSSubdomain);
  return spec.nodeName && features.ClearingNominatedNodeNameAfterBinding
    ? [...errors, fieldForbidden(path, 'may not be set on pods that are already bound to a node')]
    : errors;
}

function validateGeneration(generation: number | bigint | undefined, path: FieldPath): FieldError[] {
  return Number(generation ?? 0) < 0 ? [fieldInvalid(path, generation, 'must be a non-negative integer')] : [];
}

/** The host's address is the first of its addresses. Upstream: validateHostIPs */
function validateFirstHostIP({ status: { hostIP = '', hostIPs = [] } }: Pod): FieldError[] {
  const [first] = hostIPs;
  if (first === undefined || first.ip === hostIP) return [];
  return [fieldInvalid(STATUS.child('hostIPs').index(0).child('ip'), first.ip, 'must be equal to `hostIP`')];
}

function validateQOSClass({ status }: Pod, { status: old }: Pod): FieldError[] {
  const { qosClass = '' } = status;
  return validateImmutableField(qosClass, old.qosClass ?? '', STATUS.child('qosClass'), printedAsJson(qosClass));
}

/** A terminated container that may not restart must stay terminated. */
function validateTransitions(pod: Pod, old: Pod, rules: PodSpecRules): FieldError[] {
  const { spec } = pod;
  if (rules.allowRestartRules && rules.allowRestartOfAll && mayRestartAsAWhole(spec)) return [];
  const mayLeave = rules.allowRestartRules ? mayLeaveItsEnd : mayLeaveItsEndByPolicy;
  const fields = [
    ['containerStatuses', spec.containers ?? []],
    ['initContainerStatuses', spec.initContainers ?? []],
  ] as const;
  return fields.flatMap(([field, containers]) => {
    const byName = new Map(containers.map((container) => [container.name, container] as const));
    const lasting = namesWithoutEnd(pod.status[field]);
    return (old.status[field] ?? []).flatMap((before, i) => {
      if (!lasting.has(before.name)) return [];
      if (mayLeave(before, byName.get(before.name), spec)) return [];
      const path = STATUS.child(field).index(i).child('state');
      return [fieldForbidden(path, NO_WAY_BACK)];
    });
  });
}

/** The names of containers that have not terminated by one of their statuses, of which there may be several. */
function namesWithoutEnd(statuses: readonly ContainerStatus[] = []): ReadonlySet<string> {
  return new Set(statuses.filter(({ state }) => state.terminated === undefined).map(({ name }) => name));
}

/** Ephemeral containers never restart. */
function validateEphemeralTransitions({ status }: Pod, { status: old }: Pod): FieldError[] {
  const field = 'ephemeralContainerStatuses';
  const lasting = namesWithoutEnd(status[field]);
  return (old[field] ?? []).flatMap(({ name, state }, i) => {
    if (state.terminated === undefined || !lasting.has(name)) return [];
    return [fieldForbidden(STATUS.child(field).index(i).child('state'), NO_WAY_BACK)];
  });
}

/**
 * Reports whether a container has a rule that restarts all containers.
 * Upstream: AllContainersCouldRestart of pkg/api/pod/util.go
 */
function mayRestartAsAWhole(spec: PodSpec): boolean {
  return [...allContainers(spec)].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** The first matching rule decides, otherwise the policy. Upstream: ContainerShouldRestart */
function mayLeaveItsEnd({ state: { terminated } }: ContainerStatus, container: Container | undefined, spec: PodSpec) {
  if (terminated === undefined) return true;
  // The status of a container that the pod does not have.
  if (container === undefined) return false;
  const { exitCode } = terminated;
  // Only a container with its own policy has rules.
  const rules = container.restartPolicy === undefined ? [] : (container.restartPolicyRules ?? []);
  if (rules.find((rule) => isAbout(rule, exitCode))?.action === 'Restart') return true;
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** Without rules the pod's policy decides, except for sidecars, which always restart. */
function mayLeaveItsEndByPolicy(
  { state: { terminated } }: ContainerStatus,
  container: Container | undefined,
  { restartPolicy }: PodSpec,
): boolean {
  if (terminated === undefined || restartPolicy === 'Always' || container?.restartPolicy === 'Always') return true;
  return restartPolicy === 'OnFailure' && terminated.exitCode !== 0;
}

function isAbout({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  return (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In');
}

function ipsOf(addresses: readonly Addressed[] = []): ReadonlySet<string> {
  return new Set(addresses.map(({ ip = '' }) => ip));
}

interface Addressed {
  readonly ip?: string;
}

/** At most one address of each family. Upstream: validatePodIPs and validateHostIPs */
function validateAddresses(addresses: readonly Addressed[] = [], rules: LegacyIPRules, path: FieldPath): FieldError[] {
  const ips = addresses.map(({ ip = '' }) => ip);
  const errors = ips.flatMap((ip, i) => validateLegacyIP(ip, path.index(i), rules));
  if (ips.length < 2) return errors;
  const printed = ips.map((ip) => ({ IP: ip }));
  const parsed = ips.map(parseIPAddress);
  const bad = parsed.indexOf(undefined);
  if (bad >= 0) {
    const cause = `failed to check for dual stack with error:invalid IP[${bad}]: ${ips[bad]}`;
    errors.push(fieldInternal(path, new Error(cause)));
  }
  const families = new Set(parsed.map((ip) => ip?.bytes.length));
  if (bad >= 0 || ips.length > MAX_ADDRESSES || families.size < MAX_ADDRESSES) {
    errors.push(fieldInvalid(path, printed, 'may specify no more than one IP for each IP family'));
  }
  return errors;
}
