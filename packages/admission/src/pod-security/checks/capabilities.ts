import { type Check, exceptOnWindows, type FindViolation } from '../check.js';
import { type CheckedContainer, type CheckedPod, containersOf, namesWhere } from '../pod-containers.js';
import { named, quoted, sorted } from '../violation.js';

/** Capabilities that containers have by default. */
const DEFAULTS: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const ONLY_BIND: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

const otherThanDefault: FindViolation = (pod) => {
  const detail = addedOtherThan(pod, DEFAULTS);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

const notDropped: FindViolation = (pod) => {
  const details: string[] = [];
  const missing = namesWhere(pod, (container) => !dropsAll(container));
  if (missing.length > 0) {
    details.push(`${named('container', missing)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  const added = addedOtherThan(pod, ONLY_BIND);
  if (added !== undefined) details.push(added);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

function addedOtherThan(pod: CheckedPod, allowed: ReadonlySet<string>): string | undefined {
  const isForbidden = (capability: string) => !allowed.has(capability);
  const containers = namesWhere(pod, (container) => added(container).some(isForbidden));
  if (containers.length === 0) return undefined;
  const capabilities = sorted(containersOf(pod).flatMap(added).filter(isForbidden));
  return `${named('container', containers)} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;
}

function added({ securityContext }: CheckedContainer): readonly string[] {
  return securityContext?.capabilities?.add ?? NONE;
}

const NONE: readonly string[] = [];

function dropsAll({ securityContext }: CheckedContainer): boolean {
  return securityContext?.capabilities?.drop?.includes('ALL') === true;
}

/** Forbids capabilities beyond those that containers have by default. */
export const baselineCapabilities: Check = { replacedSince: 22, revisions: [{ since: 0, find: otherThanDefault }] };

/** Requires to drop all capabilities, and permits to add NET_BIND_SERVICE. */
export const restrictedCapabilities: Check = {
  revisions: [
    { since: 22, find: notDropped },
    { since: 25, find: exceptOnWindows(notDropped) },
  ],
};
