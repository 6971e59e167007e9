import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { bootstrapPolicy, type PolicyData } from '../bootstrap-policy/bootstrap-policy.js';
import { ensurePolicy } from './ensure-policy.js';

/** What a post-start hook is given. Fits k8s.io/apiserver/pkg/server.PostStartHookContext as generic-server has it. */
export interface HookContext {
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/** A hook to add to a server under its name. */
export interface BootstrapRolesHook {
  readonly name: string;
  run(context: HookContext): Promise<void>;
}

/** What the hook is made of, beside what the server gives it. */
export interface BootstrapRolesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: bootstrapPolicy(). */
  readonly policy?: PolicyData;
}

const PAUSE = 1000;
const DEADLINE = 30_000;

/**
 * Brings the bootstrap policy about before the server says that it is ready. Tries again every second while the server
 * cannot be read; rejects after 30 seconds, for without roles nothing works. Resolves early when the server is stopped.
 * Upstream: the post-start hook of pkg/registry/rbac/rest/storage_rbac.go
 */
export function bootstrapRolesHook({ clock, logger, policy }: BootstrapRolesOptions): BootstrapRolesHook {
  return {
    name: 'rbac/bootstrap-roles',
    async run({ loopbackClient, signal }) {
      const options = { policy: policy ?? bootstrapPolicy(), loopbackClient, clock, logger, signal };
      const deadline = clock.now() + DEADLINE;
      while (!signal.aborted) {
        try {
          return await ensurePolicy(options);
        } catch (error) {
          if (signal.aborted) return;
          logger.error(error, 'unable to initialize clusterroles');
        }
        if (clock.now() + PAUSE > deadline) {
          throw new Error('unable to initialize roles: timed out waiting for the condition');
        }
        await sleep(clock, PAUSE, signal);
      }
    },
  };
}
