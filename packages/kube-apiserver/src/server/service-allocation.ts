import { isNotFound } from '@apiserver/apimachinery/errors';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import type { ServiceStoreOptions } from '@apiserver/builtin-resources';
import {
  createClusterIPMetrics,
  createNodePortMetrics,
  createServiceAllocators,
  portRangeStorage,
  type ServerServiceAllocators,
} from '@apiserver/controlplane';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** The allocators of addresses and node ports. Nothing is read before the first service is written. */
export function createAllocators(config: CompletedKubeApiServerConfig): ServerServiceAllocators {
  const { ranges, nodePorts } = config.services;
  const { clock, loopback, metrics, logger, disposables } = config.generic;
  return disposables.use(
    createServiceAllocators({
      ranges,
      nodePorts,
      clock,
      client: loopback.client,
      random: config.randomInt,
      portStorage: config.storage.provider.storageFor(portRangeStorage),
      clusterIPMetrics: (addresses) => createClusterIPMetrics(metrics, addresses),
      nodePortMetrics: createNodePortMetrics(metrics),
      logger: logger.named('services'),
    }),
  );
}

/** The use of allocators by the Stores of services. */
export function serviceStoreOptionsOf(
  { generic }: CompletedKubeApiServerConfig,
  allocators: ServerServiceAllocators,
): ServiceStoreOptions {
  const { loopback, logger } = generic;
  return {
    allocators,
    deleteEndpoints: (namespace, name) => deleteEndpoints(loopback.client, namespace, name),
    onCleanupError: (error, { metadata: { namespace, name } }) =>
      logger
        .named('services')
        .error(error, 'Error giving back what a service had', { service: `${namespace}/${name}` }),
  };
}

async function deleteEndpoints(client: LoopbackClient, namespace: string, name: string): Promise<void> {
  try {
    await client.resource({ group: '', version: 'v1', resource: 'endpoints' }).delete(namespace, name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
