import type { Check } from '../check.js';
import { namesWhere } from '../pod-containers.js';
import { named } from '../violation.js';

/** Forbids privileged containers. */
export const privileged: Check = {
  revisions: [
    {
      since: 0,
      find: (pod) => {
        const containers = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
        if (containers.length === 0) return undefined;
        const detail = `${named('container', containers)} must not set securityContext.privileged=true`;
        return { reason: 'privileged', detail };
      },
    },
  ],
};
