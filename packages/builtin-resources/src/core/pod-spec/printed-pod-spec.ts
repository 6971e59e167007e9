import { PodSpec, type PodTemplateSpec } from '@apiserver/api/core/v1';
import { goForm } from '../../text/go-form.js';

/** Fields of the internal type in its order; host fields are in the security context. */
const FIELDS = [
  ...['Volumes', 'InitContainers', 'Containers', 'EphemeralContainers', 'RestartPolicy'],
  ...['TerminationGracePeriodSeconds', 'ActiveDeadlineSeconds', 'DNSPolicy', 'NodeSelector', 'ServiceAccountName'],
  ...['AutomountServiceAccountToken', 'NodeName', 'SecurityContext', 'ImagePullSecrets', 'Hostname', 'Subdomain'],
  ...['SetHostnameAsFQDN', 'Affinity', 'SchedulerName', 'Tolerations', 'HostAliases', 'PriorityClassName', 'Priority'],
  ...['PreemptionPolicy', 'DNSConfig', 'ReadinessGates', 'RuntimeClassName', 'Overhead', 'EnableServiceLinks'],
  ...['TopologySpreadConstraints', 'OS', 'SchedulingGates', 'ResourceClaims', 'Resources', 'HostnameOverride'],
  'SchedulingGroup',
];

const SECURITY_FIELDS = [
  ...['SELinuxOptions', 'WindowsOptions', 'RunAsUser', 'RunAsGroup', 'RunAsNonRoot', 'SupplementalGroups'],
  ...['SupplementalGroupsPolicy', 'FSGroup', 'FSGroupChangePolicy', 'Sysctls', 'SeccompProfile', 'AppArmorProfile'],
  'SELinuxChangePolicy',
];

/**
 * Formats a pod's spec as upstream's internal type.
 * Upstream: PodSpec and PodSecurityContext of pkg/apis/core/types.go
 */
export function printedPodSpec(spec: PodSpec): object {
  const form = goForm(PodSpec, spec) as Record<string, unknown>;
  const security = form['SecurityContext'] as Readonly<Record<string, unknown>> | null;
  const { hostNetwork = false, hostPID = false, hostIPC = false, shareProcessNamespace, hostUsers } = spec;
  form['SecurityContext'] = {
    HostNetwork: hostNetwork,
    HostPID: hostPID,
    HostIPC: hostIPC,
    ShareProcessNamespace: shareProcessNamespace ?? null,
    HostUsers: hostUsers ?? null,
    ...Object.fromEntries(SECURITY_FIELDS.map((name) => [name, security?.[name] ?? null])),
  };
  return Object.fromEntries(FIELDS.map((name) => [name, form[name]]));
}

/** Formats the template of a workload in the same way; its metadata is embedded. */
export function printedPodTemplate({ metadata, spec }: PodTemplateSpec): object {
  return { ...metadata, Spec: printedPodSpec(spec) };
}
