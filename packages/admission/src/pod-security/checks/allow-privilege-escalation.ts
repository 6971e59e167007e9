import { type Check, exceptOnWindows, type FindViolation } from '../check.js';
import { namesWhere } from '../pod-containers.js';
import { named } from '../violation.js';

const notDisallowed: FindViolation = (pod) => {
  const containers = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (containers.length === 0) return undefined;
  const detail = `${named('container', containers)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
};

/** Requires that processes cannot gain privileges, such as by set-user-ID files. */
export const allowPrivilegeEscalation: Check = {
  revisions: [
    { since: 8, find: notDisallowed },
    { since: 25, find: exceptOnWindows(notDisallowed) },
  ],
};
