import type { KubeObject } from '@apiserver/apimachinery';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import {
  addressAt,
  type ControllerHook,
  coreEvents,
  createEventRecorder,
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
  type ServerServiceAllocators,
  seriesEvents,
  serviceAllocationController,
  storedMasterLeases,
} from '@apiserver/controlplane';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { afterReadiness } from './after-readiness.js';

/** Upstream: DefaultEndpointReconcilerTTL of pkg/controlplane */
const LEASE_SECONDS = 15;

/** Controllers of the addresses of services, and of the service `kubernetes`. */
export interface ServiceControllers {
  readonly repair: ControllerHook;
  readonly defaultServiceCIDR: ControllerHook;
  readonly kubernetesService: KubernetesServiceController;
}

/** Makes the controllers; nothing is read before their hooks run. */
export function createServiceControllers(
  config: CompletedKubeApiServerConfig,
  allocators: ServerServiceAllocators,
): ServiceControllers {
  const { generic, newUid, services } = config;
  const { clock, disposables, loopback, signals } = generic;
  const { ranges } = services;
  const logger = generic.logger.named('services');
  const whenReady = () => afterReadiness(signals);
  const recorder = <E extends KubeObject>(form: EventForm<E>) =>
    disposables.use(createEventRecorder({ form, client: loopback.client, clock, newUid, logger }));
  return {
    repair: serviceAllocationController({
      allocators,
      ipEvents: recorder(seriesEvents('ipallocator-repair-controller', config.hostname)),
      portEvents: recorder(coreEvents('portallocator-repair-controller')),
      clock,
      logger,
    }),
    defaultServiceCIDR: defaultServiceCIDRController({
      cidrs: ranges.map(({ cidr }) => cidr),
      informer: allocators.informers.serviceCIDRs,
      events: recorder(coreEvents('kubernetes-service-cidr-controller')),
      whenReady,
      clock,
      logger,
    }),
    kubernetesService: kubernetesServiceController({
      serviceIP: addressAt(ranges[0], ranges[0].first),
      publicAddress: services.publicAddress,
      publicPort: async () => services.publicPort || (await signals.listening.signaled).port,
      nodePort: services.kubernetesServiceNodePort,
      reconciler: (client) => reconcilerOf(config, client, allocators),
      whenReady,
      clock,
      logger,
    }),
  };
}

function reconcilerOf(
  { services: { endpointReconciler, apiserverCount }, storage: { provider } }: CompletedKubeApiServerConfig,
  client: LoopbackClient,
  { clusterIPs, primaryFamily }: ServerServiceAllocators,
): EndpointReconciler {
  if (endpointReconciler === 'none') return noneReconciler();
  const secondary = [...clusterIPs.keys()].filter((family) => family !== primaryFamily);
  const adapter = new EndpointsAdapter(client, [primaryFamily, ...secondary]);
  if (endpointReconciler === 'master-count') return masterCountReconciler(adapter, apiserverCount);
  return leaseReconciler(adapter, storedMasterLeases(provider.storageFor(masterLeaseStorage), LEASE_SECONDS));
}
