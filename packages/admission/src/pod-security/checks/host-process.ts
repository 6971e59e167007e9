import type { WindowsSecurityContextOptions } from '@apiserver/api/core/v1';
import type { Check } from '../check.js';
import { namesWhere, settersOf } from '../pod-containers.js';

interface WithWindowsOptions {
  readonly windowsOptions?: WindowsSecurityContextOptions;
}

/** Forbids processes of the host on Windows. */
export const hostProcess: Check = {
  revisions: [
    {
      since: 0,
      find: (pod) => {
        const containers = namesWhere(pod, ({ securityContext }) => isHostProcess(securityContext));
        const setters = settersOf(isHostProcess(pod.spec.securityContext), containers);
        if (setters.length === 0) return undefined;
        const detail = `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`;
        return { reason: 'hostProcess', detail };
      },
    },
  ],
};

function isHostProcess(context: WithWindowsOptions | undefined): boolean {
  return context?.windowsOptions?.hostProcess === true;
}
