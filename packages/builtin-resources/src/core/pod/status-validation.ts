import type { Container, ContainerRestartRule, ContainerStatus, Pod, PodSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  nameIsDNSSubdomain,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery';
import { validatePodAnnotationsUpdate } from '../pod-spec/pod-annotations.js';
import { podSpecRules } from '../pod-spec/pod-spec-rules.js';
import { allContainers } from '../pod-spec/visit-containers.js';
import { validateQualifiedName } from '../validation/dns-fields.js';
import { validateLegacyIP } from '../validation/ip-fields.js';
import {
  validateAllocatedResources,
  validateClaimStatuses,
  validateContainerUsers,
} from './container-status-validation.js';
import { METADATA } from './validation.js';

const STATUS = FieldPath.of('status');
const MAX_ADDRESSES = 2;

/** Upstream: ValidatePodStatusUpdate of pkg/apis/core/validation/validation.go */
export function validatePodStatusUpdate(pod: Pod, old: Pod): readonly FieldError[] {
  const { status, spec } = pod;
  const nominated = status.nominatedNodeName;
  return [
    ...validateObjectMetaUpdate(pod.metadata, old.metadata, METADATA),
    ...validatePodAnnotationsUpdate(pod, old, podSpecRules(true, old), METADATA.child('annotations')),
    ...(status.conditions ?? []).flatMap(({ type }, i) =>
      // Upstream writes this one with a capital.
      validateQualifiedName(type, STATUS.child('conditions').index(i).child('Type')),
    ),
    ...(nominated
      ? nameIsDNSSubdomain(nominated, false).map((fault) =>
          fieldInvalid(STATUS.child('nominatedNodeName'), nominated, fault),
        )
      : []),
    ...validateTransitions(pod, old, spec),
    ...validateClaimStatuses(pod),
    ...validateContainerUsers(pod),
    ...validateAllocatedResources(pod),
    ...validateAddresses(ipsOf(status.podIPs), ipsOf(old.status.podIPs), STATUS.child('podIPs')),
    ...validateAddresses(ipsOf(status.hostIPs), ipsOf(old.status.hostIPs), STATUS.child('hostIPs')),
    ...validateQOSClass(pod, old),
  ];
}

function validateQOSClass({ status }: Pod, { status: old }: Pod): FieldError[] {
  if (!old.qosClass || status.qosClass === old.qosClass) return [];
  return [fieldInvalid(STATUS.child('qosClass'), status.qosClass, 'field is immutable')];
}

/** A container that has ended, and is not to be started again, stays so. */
function validateTransitions(pod: Pod, old: Pod, spec: PodSpec): FieldError[] {
  if (mayRestartAsAWhole(spec)) return [];
  const fields = [
    ['containerStatuses', spec.containers ?? []],
    ['initContainerStatuses', spec.initContainers ?? []],
  ] as const;
  return fields.flatMap(([field, containers]) => {
    const byName = new Map(containers.map((container) => [container.name, container] as const));
    const after = new Map((pod.status[field] ?? []).map((status) => [status.name, status] as const));
    return (old.status[field] ?? []).flatMap((before, i) => {
      const now = after.get(before.name);
      if (now === undefined || now.state.terminated !== undefined) return [];
      if (mayLeaveItsEnd(before, byName.get(before.name), spec)) return [];
      const path = STATUS.child(field).index(i).child('state');
      return [fieldForbidden(path, 'may not be transitioned to non-terminated state')];
    });
  });
}

/** A rule of one container that starts all of them again. Upstream: AllContainersCouldRestart of pkg/api/pod/util.go */
function mayRestartAsAWhole(spec: PodSpec): boolean {
  return [...allContainers(spec)].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** The first rule that is about an exit code decides, then the policy. Upstream: ContainerShouldRestart */
function mayLeaveItsEnd({ state: { terminated } }: ContainerStatus, container: Container | undefined, spec: PodSpec) {
  if (terminated === undefined) return true;
  const { exitCode } = terminated;
  if ((container?.restartPolicyRules ?? []).some((rule) => isAbout(rule, exitCode))) return true;
  const policy = container?.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function isAbout({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  return (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In');
}

function ipsOf(addresses: readonly { readonly ip?: string }[] = []): readonly string[] {
  return addresses.map(({ ip = '' }) => ip);
}

/** One address of each family at most. */
function validateAddresses(ips: readonly string[], old: readonly string[], path: FieldPath): FieldError[] {
  const errors = ips.flatMap((ip, i) => validateLegacyIP(ip, path.index(i), old));
  const families = new Set(ips.map((ip) => ip.includes(':')));
  if (ips.length > 1 && (ips.length > MAX_ADDRESSES || families.size < MAX_ADDRESSES)) {
    errors.push(fieldInvalid(path, ips, 'may specify no more than one IP for each IP family'));
  }
  for (const [i, ip] of ips.entries()) {
    if (ips.indexOf(ip) < i) errors.push(fieldDuplicate(path.index(i), ip));
  }
  return errors;
}
