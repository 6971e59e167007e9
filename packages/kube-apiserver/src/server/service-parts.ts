import type { KubeObject } from '@apiserver/apimachinery';
import { isNotFound } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition, LoopbackClient } from '@apiserver/apiserver-contracts';
import { type IPFamily, services, withServiceAllocators } from '@apiserver/builtin-resources';
import {
  addressAt,
  type ControllerHook,
  coreEvents,
  createEventRecorder,
  createServiceAllocators,
  defaultServiceCIDRController,
  type EndpointReconciler,
  EndpointsAdapter,
  type EventForm,
  type KubernetesServiceController,
  kubernetesServiceController,
  leaseReconciler,
  masterCountReconciler,
  masterLeaseStorage,
  noneReconciler,
  portRangeStorage,
  type ServerServiceAllocators,
  seriesEvents,
  serviceAllocationController,
  storedMasterLeases,
} from '@apiserver/controlplane';
import type { StorageProvider } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { createClusterIPMetrics, createNodePortMetrics } from './allocation-metrics.js';

/** Upstream: DefaultEndpointReconcilerTTL of pkg/controlplane */
const LEASE_SECONDS = 15;

/** What services and the service `kubernetes` need of one server. */
export interface ServiceParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
  readonly repair: ControllerHook;
  readonly defaultServiceCIDR: ControllerHook;
  readonly kubernetesService: KubernetesServiceController;
}

/** Makes the parts; nothing is read before the first service is written or a hook runs. */
export function createServiceParts(config: CompletedKubeApiServerConfig): ServiceParts {
  const { generic } = config;
  const { provider } = config.storage;
  const { clock, loopback, signals } = generic;
  const { ranges } = config.services;
  const logger = generic.logger.named('services');
  const allocators: ServerServiceAllocators = createAllocators(config, provider, loopback.client);
  const { informers } = allocators;
  const recorder = <E extends KubeObject>(form: EventForm<E>) =>
    createEventRecorder({ form, client: loopback.client, clock, newUid: config.newUid, logger });
  return {
    definitionFor: (definition) => {
      if (definition !== services) return definition;
      return withServiceAllocators(services, {
        allocators,
        deleteEndpoints: (namespace, name) => deleteEndpoints(loopback.client, namespace, name),
        onCleanupError: (error, { metadata: { namespace, name } }) =>
          logger.error(error, 'Error giving back what a service had', { service: `${namespace}/${name}` }),
      });
    },
    repair: serviceAllocationController({
      allocators,
      ipEvents: recorder(seriesEvents('ipallocator-repair-controller', config.hostname)),
      portEvents: recorder(coreEvents('portallocator-repair-controller')),
      ...{ clock, logger },
    }),
    defaultServiceCIDR: defaultServiceCIDRController({
      cidrs: ranges.map(({ cidr }) => cidr),
      informer: informers.serviceCIDRs,
      events: recorder(coreEvents('kubernetes-service-cidr-controller')),
      whenReady: () => signals.ready.signaled,
      ...{ clock, logger },
    }),
    kubernetesService: kubernetesServiceController({
      serviceIP: addressAt(ranges[0], ranges[0].first),
      publicAddress: config.services.publicAddress,
      publicPort: async () => (await signals.listening.signaled).port,
      nodePort: config.services.kubernetesServiceNodePort,
      reconciler: (client) => reconcilerOf(config, provider, client, allocators),
      whenReady: () => signals.ready.signaled,
      clock,
      logger,
    }),
  };
}

function createAllocators(
  { services: { ranges, nodePorts }, generic, randomInt: random }: CompletedKubeApiServerConfig,
  provider: StorageProvider,
  client: LoopbackClient,
): ServerServiceAllocators {
  const { clock } = generic;
  // Counted when they are asked for: how many addresses are taken is not worked out at every allocation.
  const held = (family: IPFamily) => allocators.addresses.held(family);
  const allocators = createServiceAllocators({
    ...{ ranges, nodePorts, client, clock, random },
    portStorage: provider.storageFor(portRangeStorage),
    clusterIPMetrics: createClusterIPMetrics(generic.metrics, held),
    nodePortMetrics: createNodePortMetrics(generic.metrics),
    logger: generic.logger.named('services'),
  });
  return allocators;
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
