import type { Check } from '../check.js';

/** Forbids the network, process and IPC namespaces of the host. */
export const hostNamespaces: Check = {
  revisions: [
    {
      since: 0,
      find: ({ spec }) => {
        const { hostNetwork, hostPID, hostIPC } = spec;
        if (!hostNetwork && !hostPID && !hostIPC) return undefined;
        const found = [hostNetwork && 'hostNetwork=true', hostPID && 'hostPID=true', hostIPC && 'hostIPC=true'];
        return { reason: 'host namespaces', detail: found.filter(Boolean).join(', ') };
      },
    },
  ],
};
