import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isAlreadyExists } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer, Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { createInformer } from '@apiserver/registry-store';

/** What the controller is made of, beside what the server gives its post-start hooks. */
export interface SystemNamespacesOptions {
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
  /** Names to keep; default those that a cluster cannot do without. */
  readonly names?: readonly string[];
}

/** What a post-start hook is given. Fits k8s.io/apiserver/pkg/server.PostStartHookContext as generic-server has it. */
export interface HookContext {
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/** A hook to add to a server under its name. */
export interface SystemNamespacesHook {
  readonly name: string;
  run(context: HookContext): Promise<void>;
}

/** In the order in which they are made. Upstream: pkg/controlplane/instance.go */
const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/** How often everything is looked at anew, whatever was heard meanwhile. */
const SYNC_MILLISECONDS = 60_000;

/**
 * Keeps the system namespaces there: makes what is missing before the hook is done, so before the server says that it is
 * ready; then again whenever one is deleted, and every minute for what failed. Lives until the context's signal aborts.
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

/** False when the server is stopped before. */
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
 * All at the same time, so that they share a commit; upstream makes one after the other. One that cannot be made does not keep the
 * others from being. Never rejects.
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
    cancel = options.clock.schedule(tick, SYNC_MILLISECONDS);
  };
  cancel = options.clock.schedule(tick, SYNC_MILLISECONDS);
  signal.addEventListener(
    'abort',
    () => {
      unsubscribe();
      cancel();
    },
    { once: true },
  );
}
