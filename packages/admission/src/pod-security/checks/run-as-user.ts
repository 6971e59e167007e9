import { type Check, exceptInUserNamespace, type FindViolation } from '../check.js';
import { namesWhere, settersOf } from '../pod-containers.js';

const root: FindViolation = (pod) => {
  const containers = namesWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  const setters = settersOf(pod.spec.securityContext?.runAsUser === 0, containers);
  if (setters.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
};

/** Forbids user 0; since 1.35 not in a user namespace. */
export const runAsUser: Check = {
  revisions: [
    { since: 23, find: root },
    { since: 35, find: exceptInUserNamespace(root) },
  ],
};
