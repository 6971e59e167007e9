import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { bootstrapPolicy, type PolicyData } from '../bootstrap-policy/bootstrap-policy.js';
import type { PolicyFeatures } from '../bootstrap-policy/policy-features.js';
import { ensurePolicy } from './ensure-policy.js';

/**
 * The context of a post-start hook. Compatible with PostStartHookContext of generic-server.
 * Upstream: k8s.io/apiserver/pkg/server.PostStartHookContext
 */
export interface HookContext {
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/** A hook to register on a server under its name. */
export interface BootstrapRolesHook {
  readonly name: string;
  run(context: HookContext): Promise<void>;
}

/** Dependencies of the hook beside its context. */
export interface BootstrapRolesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The gates that add to the policy. Default: those that are on by default. */
  readonly features?: PolicyFeatures;
  /** Default: bootstrapPolicy(features). */
  readonly policy?: PolicyData;
}

const PAUSE_MS = 1000;
const DEADLINE_MS = 30_000;

/**
 * Reconciles the bootstrap policy before the server becomes ready. Retries every second while the server cannot be
 * read, or while an object cannot be written: writes wait for storage versions. Rejects after 30 seconds, because no
 * user is authorized without roles. Resolves early when the server stops.
 * Upstream: the post-start hook of pkg/registry/rbac/rest/storage_rbac.go
 */
export function bootstrapRolesHook({ clock, logger, features, policy }: BootstrapRolesOptions): BootstrapRolesHook {
  return {
    name: 'rbac/bootstrap-roles',
    async run({ loopbackClient, signal }) {
      const options = { policy: policy ?? bootstrapPolicy(features), loopbackClient, clock, logger, signal };
      const passing = durationClock(clock);
      const deadline = passing.now() + DEADLINE_MS;
      while (!signal.aborted) {
        try {
          if (await ensurePolicy(options)) return;
        } catch (error) {
          if (signal.aborted) return;
          logger.error(error, 'unable to initialize clusterroles');
        }
        if (passing.now() + PAUSE_MS > deadline) {
          throw new Error('unable to initialize roles: timed out waiting for the condition');
        }
        await sleep(clock, PAUSE_MS, signal);
      }
    },
  };
}
