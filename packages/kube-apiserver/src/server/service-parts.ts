import type { Service } from '@apiserver/api/core/v1';
import { everythingFieldSelector, everythingSelector, isNotFound } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, LoopbackClient } from '@apiserver/apiserver-contracts';
import { services, withServiceAllocators } from '@apiserver/builtin-resources';
import {
  addressAt,
  createServiceAllocators,
  type EndpointReconciler,
  EndpointsAdapter,
  type KubernetesServiceController,
  kubernetesServiceController,
  leaseReconciler,
  masterCountReconciler,
  masterLeaseStorage,
  noneReconciler,
  type ServerServiceAllocators,
  serviceAllocationController,
  storedMasterLeases,
} from '@apiserver/controlplane';
import type { StorageProvider } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from './kube-api-server-config.js';

/** Upstream: DefaultEndpointReconcilerTTL of pkg/controlplane */
const LEASE_SECONDS = 15;

/** What services and the service `kubernetes` need of one server. */
export interface ServiceParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
  readonly repair: ReturnType<typeof serviceAllocationController>;
  readonly kubernetesService: KubernetesServiceController;
}

/** Makes the parts; nothing is read before the first service is written or a hook runs. */
export function createServiceParts(
  config: CompletedKubeApiServerConfig,
  provider: StorageProvider,
  server: {
    readonly loopbackClient: LoopbackClient;
    whenReady(): Promise<void>;
    publicPort(): Promise<number>;
  },
): ServiceParts {
  const { clock, generic, randomInt: random } = config;
  const { ranges, nodePorts } = config.services;
  const listServices = () => storedServices(provider);
  const allocators = createServiceAllocators({ ranges, nodePorts, random, listServices });
  const logger = generic.logger.named('services');
  return {
    definitionFor: (definition) => {
      if (definition !== services) return definition;
      return withServiceAllocators(services, {
        allocators,
        deleteEndpoints: (namespace, name) => deleteEndpoints(server.loopbackClient, namespace, name),
        onCleanupError: (error, { metadata: { namespace, name } }) =>
          logger.error(error, 'Error cleaning up after a deleted service', { service: `${namespace}/${name}` }),
      });
    },
    repair: serviceAllocationController({ allocators, clock, logger, listServices }),
    kubernetesService: kubernetesServiceController({
      serviceIP: addressAt(ranges[0], ranges[0].first),
      publicAddress: config.services.publicAddress,
      publicPort: () => server.publicPort(),
      nodePort: config.services.kubernetesServiceNodePort,
      reconciler: (client) => reconcilerOf(config, provider, client, allocators),
      whenReady: () => server.whenReady(),
      clock,
      logger,
    }),
  };
}

async function storedServices(provider: StorageProvider): Promise<readonly Service[]> {
  const { items } = await provider.storageFor(services).list('', {
    labelSelector: everythingSelector,
    fieldSelector: everythingFieldSelector,
  });
  return items.map(({ object }) => object);
}

async function deleteEndpoints(client: LoopbackClient, namespace: string, name: string): Promise<void> {
  try {
    await client.resource({ group: '', version: 'v1', resource: 'endpoints' }).delete(namespace, name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function reconcilerOf(
  { services: { endpointReconciler, apiserverCount } }: CompletedKubeApiServerConfig,
  provider: StorageProvider,
  client: LoopbackClient,
  { clusterIPs, primaryFamily }: ServerServiceAllocators,
): EndpointReconciler {
  if (endpointReconciler === 'none') return noneReconciler();
  const secondary = [...clusterIPs.keys()].filter((family) => family !== primaryFamily);
  const adapter = new EndpointsAdapter(client, [primaryFamily, ...secondary]);
  if (endpointReconciler === 'master-count') return masterCountReconciler(adapter, apiserverCount);
  return leaseReconciler(adapter, storedMasterLeases(provider.storageFor(masterLeaseStorage), LEASE_SECONDS));
}
