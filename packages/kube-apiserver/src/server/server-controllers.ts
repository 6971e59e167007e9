import type { GroupResource } from '@apiserver/apimachinery';
import { JoinedSignal } from '@apiserver/apimachinery/clock';
import { runControllers } from '@apiserver/controllers';
import type { GenericServer } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { afterReadiness } from './after-readiness.js';
import { controllersLease } from './controllers-lease.js';

/**
 * Runs the controllers of `--controllers` from readiness to the begin of the shutdown, so that no start waits for them.
 */
export function addControllers(server: GenericServer, config: CompletedKubeApiServerConfig): void {
  const { generic, controllers: enabled, randomInt: random, newUid, storage, rootCA, serviceAccounts } = config;
  if (enabled.length === 0) return;
  const { clock, metrics, loopback, signals } = generic;
  const logger = generic.logger.named('controllers');
  const stop = new AbortController();
  let ended = Promise.resolve();
  const run = async (signal: AbortSignal) => {
    await afterReadiness(signals);
    if (signal.aborted) return;
    const isStoreShared = (storage.stores.main.freshness ?? 'immediate') !== 'immediate';
    const read = (path: string, accept: string) => loopback.read(path, accept);
    const firstUse = (resource: GroupResource) => storage.provider.firstUse(resource);
    const { client } = loopback;
    const { signSecretToken } = serviceAccounts;
    const { features } = config.resources;
    const tools = { clock, random, newUid, metrics, logger };
    const whileLeading = isStoreShared ? { whileLeading: controllersLease(config) } : {};
    const cluster = { isStoreShared, rootCA, signSecretToken, features, ...whileLeading };
    await runControllers({ ...tools, ...cluster, enabled, client, read, firstUse }, signal);
  };
  server.addPostStartHook('start-controllers', async (context) => {
    const { signal } = new JoinedSignal(context.signal, stop.signal);
    ended = run(signal).catch((error: unknown) => {
      if (!signal.aborted)
        logger.error(error, 'The controllers have failed, and are stopped until the server is started again');
    });
  });
  server.addPreShutdownHook('stop-controllers', () => {
    stop.abort();
    return ended;
  });
}
