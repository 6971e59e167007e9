import type { Check } from '../check.js';
import { containersOf } from '../pod-containers.js';
import { named, plural, sorted } from '../violation.js';

/** Forbids ports of the host. */
export const hostPorts: Check = {
  revisions: [
    {
      since: 0,
      find: (pod) => {
        const using = containersOf(pod).filter(({ ports }) => ports?.some(({ hostPort }) => hostPort));
        if (using.length === 0) return undefined;
        const containers = using.map(({ name }) => name);
        const all = using.flatMap(({ ports }) => ports?.flatMap(({ hostPort }) => hostPort || []) ?? []);
        const ports = sorted(all.map(String));
        const use = containers.length === 1 ? 'uses' : 'use';
        const portWord = plural('hostPort', ports.length);
        const detail = `${named('container', containers)} ${use} ${portWord} ${ports.join(', ')}`;
        return { reason: 'hostPort', detail };
      },
    },
  ],
};
