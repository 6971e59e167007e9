import type { EndpointPort, Service } from '@apiserver/api/core/v1';
import { type Clock, JoinedSignal, sleep } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isNotFound } from '@apiserver/apimachinery/errors';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ControllerHook } from '../controller-hook.js';
import { SERVICE_NAME, SERVICE_NAMESPACE } from './desired-endpoints.js';
import type { EndpointReconciler } from './endpoint-reconciler.js';

/** Upstream: DefaultEndpointReconcilerInterval of pkg/controlplane */
const RECONCILE_MS = 10_000;
/** The port of the service. Upstream: KubernetesServicePort */
const SERVICE_PORT = 443;
const PORT_NAME = 'https';

/** The addresses of the service, and dependencies of its controller. */
export interface KubernetesServiceOptions {
  /** The first address of the primary service CIDR. */
  readonly serviceIP: string;
  /** The address under which other machines reach this server. Upstream flag: --advertise-address */
  readonly publicAddress: string;
  /** The port of the listener; resolves once it listens. */
  publicPort(): Promise<number>;
  /** Default: 0, for none. Upstream flag: --kubernetes-service-node-port */
  readonly nodePort?: number;
  /** Called once a client exists. Upstream flag: --endpoint-reconciler-type, default lease */
  reconciler(client: LoopbackClient): EndpointReconciler;
  /** Resolves when the server is ready: before, it must not receive traffic. */
  whenReady(): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The hook, and the action before the server stops. */
export interface KubernetesServiceController extends ControllerHook {
  /** Removes this server from the endpoints. For a pre-shutdown hook, while the API still responds. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Maintains the service `default/kubernetes`, with this server among its endpoints.
 * Upstream: pkg/controlplane/controller/kubernetesservice
 */
export function kubernetesServiceController(options: KubernetesServiceOptions): KubernetesServiceController {
  const { logger, publicAddress } = options;
  const stopped = new AbortController();
  let reconciler: EndpointReconciler | undefined;
  return {
    name: 'bootstrap-controller',
    async run({ loopbackClient, signal }) {
      reconciler = options.reconciler(loopbackClient);
      await removeStale(reconciler, options);
      // Not awaited: the server becomes ready only after this hook finishes.
      const joined = new JoinedSignal(signal, stopped.signal);
      void keep({ client: loopbackClient, reconciler, options, signal: joined.signal });
    },
    async stop() {
      if (stopped.signal.aborted) return;
      stopped.abort();
      reconciler?.stop();
      try {
        await reconciler?.remove(publicAddress, await endpointPorts(options));
      } catch (error) {
        logger.error(error, 'Unable to remove endpoints from kubernetes service');
      }
    },
  };
}

/** Removes the entry of an earlier run of this server that did not clean up. */
async function removeStale(reconciler: EndpointReconciler, options: KubernetesServiceOptions): Promise<void> {
  try {
    if (await reconciler.remove(options.publicAddress, await endpointPorts(options))) {
      options.logger.warning(
        'Found stale endpoints of the kubernetes service: the server did not stop in order before',
      );
    }
  } catch (error) {
    options.logger.error(error, 'Error removing old endpoints from kubernetes service');
  }
}

interface Loop {
  readonly client: LoopbackClient;
  readonly reconciler: EndpointReconciler;
  readonly options: KubernetesServiceOptions;
  readonly signal: AbortSignal;
}

/** Never rejects. */
async function keep(loop: Loop): Promise<void> {
  const { options, signal } = loop;
  await options.whenReady().catch(() => {});
  while (!signal.aborted) {
    try {
      await ensureService(loop);
      await loop.reconciler.reconcile(options.publicAddress, await endpointPorts(options));
    } catch (error) {
      if (!signal.aborted) options.logger.error(error, 'Unable to sync kubernetes service');
    }
    await sleep(options.clock, RECONCILE_MS, signal);
  }
}

async function endpointPorts({ publicPort }: KubernetesServiceOptions): Promise<readonly EndpointPort[]> {
  return [{ name: PORT_NAME, port: await publicPort(), protocol: 'TCP' }];
}

/** Creates the service once; later changes by users stay. */
async function ensureService({ client, options }: Loop): Promise<void> {
  const services: ResourceClient<Service> = client.resource({ group: '', version: 'v1', resource: 'services' });
  try {
    await services.get(SERVICE_NAMESPACE, SERVICE_NAME);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await services.create(SERVICE_NAMESPACE, await kubernetesService(options)).catch((failure: unknown) => {
      if (!isAlreadyExists(failure)) throw failure;
    });
  }
}

async function kubernetesService(options: KubernetesServiceOptions): Promise<Service> {
  const { serviceIP, nodePort = 0, publicPort } = options;
  const port = { name: PORT_NAME, protocol: 'TCP', port: SERVICE_PORT, targetPort: await publicPort() };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: SERVICE_NAME,
      namespace: SERVICE_NAMESPACE,
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      ports: [nodePort > 0 ? { ...port, nodePort } : port],
      clusterIP: serviceIP,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      type: nodePort > 0 ? 'NodePort' : 'ClusterIP',
    },
    status: { loadBalancer: {} },
  };
}
