import { type Check, exceptInUserNamespace, type FindViolation } from '../check.js';
import { containersOf, namesWhere } from '../pod-containers.js';
import { named, quoted, sorted } from '../violation.js';

const DEFAULT = 'Default';

const otherThanDefault: FindViolation = (pod) => {
  const containers = namesWhere(pod, ({ securityContext }) => (securityContext?.procMount ?? DEFAULT) !== DEFAULT);
  if (containers.length === 0) return undefined;
  const mounts = containersOf(pod).map(({ securityContext }) => securityContext?.procMount ?? DEFAULT);
  const types = sorted(mounts.filter((mount) => mount !== DEFAULT));
  const detail = `${named('container', containers)} must not set securityContext.procMount to ${quoted(types)}`;
  return { reason: 'procMount', detail };
};

/** Forbids an unmasked /proc; since 1.35 a pod in a user namespace may have one. */
export const baselineProcMount: Check = {
  replacedSince: 35,
  revisions: [
    { since: 0, find: otherThanDefault },
    { since: 35, find: exceptInUserNamespace(otherThanDefault) },
  ],
};

/** Forbids it at level restricted without that exemption. */
export const restrictedProcMount: Check = { revisions: [{ since: 35, find: otherThanDefault }] };
