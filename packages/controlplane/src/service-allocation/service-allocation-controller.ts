import type { Service } from '@apiserver/api/core/v1';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { Clock } from '@apiserver/registry-store';
import type { ControllerHook } from '../controller-hook.js';
import type { ServerServiceAllocators } from './create-service-allocators.js';
import { ServiceAllocationRepair } from './repair-service-allocations.js';

/** Upstream: 3 minutes, of pkg/registry/core/rest/storage_core.go */
const REPAIR_MILLISECONDS = 180_000;

export interface ServiceAllocationControllerOptions {
  readonly allocators: ServerServiceAllocators;
  /** Every stored service, of all namespaces. */
  listServices(signal: AbortSignal): Promise<readonly Service[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps the allocators true: a first round before the hook is done, then one every three minutes until the signal
 * aborts. A round that fails is logged, and the next one makes up for it.
 * Upstream: start-service-ip-repair-controllers of pkg/registry/core/rest/storage_core.go
 */
export function serviceAllocationController(options: ServiceAllocationControllerOptions): ControllerHook {
  const { allocators, clock, logger, listServices } = options;
  return {
    name: 'start-service-ip-repair-controllers',
    async run({ signal }) {
      const repair = new ServiceAllocationRepair(allocators, logger);
      const round = async () => {
        try {
          await allocators.ready(signal);
          await repair.run(await listServices(signal));
        } catch (error) {
          if (!signal.aborted) logger.error(error, 'Unable to repair the allocations of services');
        }
      };
      await round();
      let cancel = () => {};
      const next = () => {
        if (signal.aborted) return;
        cancel = clock.schedule(() => void round().then(next), REPAIR_MILLISECONDS);
      };
      next();
      signal.addEventListener('abort', () => cancel(), { once: true });
    },
  };
}
