import type { ConfigMap } from '@apiserver/api/core/v1';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import {
  isAlreadyExists,
  isConflict,
  isInvalid,
  isRequestEntityTooLarge,
  unlessNotFound,
} from '@apiserver/apimachinery/errors';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import { CONFIG_MAPS, configMapInformer } from '../config-map-informer.js';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';
import { type AuthenticationInfo, combinedData } from './authentication-info.js';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';
/** Interval between syncs, in addition to those on events. */
const SYNC_MS = 60_000;

/** Dependencies of the controller. */
export interface ClusterAuthenticationOptions {
  /** The current trust anchors of this server. */
  info(): AuthenticationInfo;
  /** Calls back on each change. */
  onChange(listener: () => void): void;
  /** Resolves when the server is ready: readiness does not depend on this controller. */
  whenReady(): Promise<void>;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/**
 * Publishes this server's CAs for clients and front proxies in a ConfigMap of kube-system, for extension API servers.
 * Upstream: pkg/controlplane/controller/clusterauthenticationtrust
 */
export function clusterAuthenticationController(options: ClusterAuthenticationOptions): ControllerHook {
  return {
    name: 'start-cluster-authentication-info-controller',
    async run(context) {
      void follow(context, options);
    },
  };
}

/** Never rejects. */
async function follow(context: ControllerContext, options: ClusterAuthenticationOptions) {
  const { loopbackClient, signal } = context;
  await options.whenReady().catch(() => {});
  if (signal.aborted) return;
  const informer = configMapInformer(context, { namespace: NAMESPACE, name: NAME }, options);
  const run = { client: loopbackClient.resource<ConfigMap>(CONFIG_MAPS), options, signal };
  const again = (): void => void synced(run);
  // The first sync is explicit: a missing ConfigMap causes no event.
  await synced(run);
  informer.subscribe({ updated: again, deleted: again });
  options.onChange(again);
  while (!signal.aborted) {
    await sleep(options.clock, SYNC_MS, signal);
    if (!signal.aborted) await synced(run);
  }
}

interface Run {
  readonly client: ResourceClient<ConfigMap>;
  readonly options: ClusterAuthenticationOptions;
  readonly signal: AbortSignal;
}

/** Never rejects. */
async function synced({ client, options, signal }: Run): Promise<void> {
  try {
    await sync(client, options);
  } catch (error) {
    // Another server wrote first: its event causes the next attempt.
    if (signal.aborted || isConflict(error) || isAlreadyExists(error)) return;
    options.logger.error(error, 'Unable to write the authentication info of the cluster');
  }
}

async function sync(client: ResourceClient<ConfigMap>, { info, clock }: ClusterAuthenticationOptions): Promise<void> {
  const current = await unlessNotFound(client.get(NAMESPACE, NAME));
  const data = combinedData(current?.data ?? {}, info(), clock.now());
  if (current === undefined) {
    await client.create(NAMESPACE, newConfigMap(data));
  } else if (!equalJson(current.data ?? {}, data)) {
    await write(client, { ...cloneJson(current), data });
  }
}

/** Deletes a ConfigMap that is too large; the next sync of any server creates it again. */
async function write(client: ResourceClient<ConfigMap>, configMap: ConfigMap): Promise<void> {
  try {
    await client.update(NAMESPACE, configMap);
  } catch (error) {
    const isTooLong = isInvalid(error) && error instanceof Error && error.message.includes('Too long');
    if (isRequestEntityTooLarge(error) || isTooLong) await client.delete(NAMESPACE, NAME);
    throw error;
  }
}

function newConfigMap(data: Record<string, string>): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: NAME, namespace: NAMESPACE }, data };
}
