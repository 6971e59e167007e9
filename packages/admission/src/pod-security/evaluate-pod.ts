import { type Check, revisionAt } from './check.js';
import { allowPrivilegeEscalation } from './checks/allow-privilege-escalation.js';
import { appArmorProfile } from './checks/app-armor-profile.js';
import { baselineCapabilities, restrictedCapabilities } from './checks/capabilities.js';
import { hostNamespaces } from './checks/host-namespaces.js';
import { hostPathVolumes } from './checks/host-path-volumes.js';
import { hostPorts } from './checks/host-ports.js';
import { hostProcess } from './checks/host-process.js';
import { privileged } from './checks/privileged.js';
import { probeHosts } from './checks/probe-hosts.js';
import { baselineProcMount, restrictedProcMount } from './checks/proc-mount.js';
import { restrictedVolumes } from './checks/restricted-volumes.js';
import { runAsNonRoot } from './checks/run-as-non-root.js';
import { runAsUser } from './checks/run-as-user.js';
import { seLinuxOptions } from './checks/se-linux-options.js';
import { baselineSeccompProfile, restrictedSeccompProfile } from './checks/seccomp-profile.js';
import { sysctls } from './checks/sysctls.js';
import { type LevelVersion, minorOf } from './level-version.js';
import type { CheckedPod } from './pod-containers.js';
import type { PodSecurityViolation } from './violation.js';

/** The checks of level baseline, in the order of their messages: that of upstream's identifiers. */
const BASELINE: readonly Check[] = [
  appArmorProfile,
  baselineCapabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  probeHosts,
  privileged,
  baselineProcMount,
  seLinuxOptions,
  baselineSeccompProfile,
  sysctls,
  hostProcess,
];

/** The checks that level restricted adds, behind those of baseline. */
const RESTRICTED: readonly Check[] = [
  allowPrivilegeEscalation,
  restrictedCapabilities,
  restrictedProcMount,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  restrictedSeccompProfile,
];

const NOTHING: readonly PodSecurityViolation[] = [];

/**
 * The violations of a policy by a pod or pod template; empty if the policy permits it. A version newer than all checks
 * has the newest of them.
 * Upstream: checkRegistry.EvaluatePod of k8s.io/pod-security-admission/policy/registry.go
 */
export function evaluatePod({ level, version }: LevelVersion, pod: CheckedPod): readonly PodSecurityViolation[] {
  if (level === 'privileged') return NOTHING;
  const minor = minorOf(version);
  const isRestricted = level === 'restricted';
  let violations: PodSecurityViolation[] | undefined;
  const run = (check: Check) => {
    const violation = revisionAt(check, minor)?.find(pod);
    if (violation === undefined) return;
    violations ??= [];
    violations.push(violation);
  };
  for (const check of BASELINE) {
    if (isRestricted && check.replacedSince !== undefined && check.replacedSince <= minor) continue;
    run(check);
  }
  if (isRestricted) RESTRICTED.forEach(run);
  return violations ?? NOTHING;
}
