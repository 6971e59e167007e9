import type { Check } from '../check.js';
import { named } from '../violation.js';

/** Forbids volumes that are folders of the host. Level restricted has its list of volume types instead. */
export const hostPathVolumes: Check = {
  replacedSince: 0,
  revisions: [
    {
      since: 0,
      find: ({ spec }) => {
        const found = spec.volumes?.filter(({ hostPath }) => hostPath) ?? [];
        if (found.length === 0) return undefined;
        const names = found.map(({ name }) => name);
        return { reason: 'hostPath volumes', detail: named('volume', names) };
      },
    },
  ],
};
