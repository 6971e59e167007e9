import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isAlreadyExists } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer, Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { createInformer } from '@apiserver/registry-store';

/** Dependencies of the controller beside the hook's context. */
export interface SystemNamespacesOptions {
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
  /** Names of the namespaces. Default: those that every cluster needs. */
  readonly names?: readonly string[];
}

/**
 * The context of a post-start hook. Compatible with PostStartHookContext of generic-server.
 * Upstream: k8s.io/apiserver/pkg/server.PostStartHookContext
 */
export interface HookContext {
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/** A post-start hook with its name. */
export interface SystemNamespacesHook {
  readonly name: string;
  run(context: HookContext): Promise<void>;
}

/** In order of creation. Upstream: pkg/controlplane/instance.go */
const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/** Interval between syncs, in addition to those on events. */
const SYNC_MS = 60_000;

/**
 * Maintains the system namespaces. Missing ones are created before the hook finishes, thus before the server is
 * ready. Later, it syncs after every deletion, and every minute to retry failures. Runs until the context's signal
 * aborts.
 * Upstream: pkg/controlplane/controller/systemnamespaces, which only looks every minute
 */
export function systemNamespacesController(options: SystemNamespacesOptions): SystemNamespacesHook {
  const names = options.names ?? SYSTEM_NAMESPACES;
  return {
    name: 'start-system-namespaces-controller',
    async run({ loopbackClient, signal }) {
      const client = loopbackClient.resource<KubeObject>(NAMESPACES);
      const { clock, random, logger } = options;
      const informer = createInformer({ client, clock, random, logger });
      signal.addEventListener('abort', () => void dispose(informer, logger), { once: true });
      if (!(await synced(informer, signal))) return;
      const controller = { names, client, informer, options, signal };
      await createMissing(controller);
      keep(controller);
    },
  };
}

/** False if the server stops first. */
async function synced(informer: Informer<KubeObject>, signal: AbortSignal): Promise<boolean> {
  try {
    await informer.synced(signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

async function dispose(informer: Informer<KubeObject>, logger: Logger): Promise<void> {
  try {
    await informer[Symbol.asyncDispose]();
  } catch (error) {
    logger.error(error, 'System namespaces controller failed to stop');
  }
}

interface Controller {
  readonly names: readonly string[];
  readonly client: Pick<ResourceClient<KubeObject>, 'create'>;
  readonly informer: Informer<KubeObject>;
  readonly options: SystemNamespacesOptions;
  readonly signal: AbortSignal;
}

/**
 * Creates all in parallel, so that they share a commit; upstream creates them sequentially. A failure does not affect
 * the others. Never rejects.
 */
async function createMissing(controller: Controller): Promise<void> {
  const { names, informer, signal } = controller;
  if (signal.aborted) return;
  const missing = names.filter((name) => informer.get('', name) === undefined);
  await Promise.all(missing.map((name) => create(controller, name)));
}

async function create({ client, options, signal }: Controller, name: string): Promise<void> {
  try {
    await client.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (isAlreadyExists(error) || signal.aborted) return;
    options.logger.error(error, 'Unable to create required kubernetes system namespace', { namespace: name });
  }
}

function keep(controller: Controller): void {
  const { informer, names, options, signal } = controller;
  const again = () => void createMissing(controller);
  const unsubscribe = informer.subscribe({
    deleted: ({ metadata }) => {
      if (names.includes(metadata.name ?? '')) again();
    },
  });
  let cancel = () => {};
  const tick = () => {
    again();
    cancel = options.clock.schedule(tick, SYNC_MS);
  };
  cancel = options.clock.schedule(tick, SYNC_MS);
  signal.addEventListener(
    'abort',
    () => {
      unsubscribe();
      cancel();
    },
    { once: true },
  );
}
