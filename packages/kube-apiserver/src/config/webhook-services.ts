import { clusterIPResolver, endpointResolver } from '@apiserver/aggregator';
import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { once } from '@apiserver/apimachinery/lazy';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { ServerContext } from '@apiserver/generic-server';
import { createInformer } from '@apiserver/registry-store';
import type { ServiceResolver } from '@apiserver/webhook';

const SERVICES = { group: '', version: 'v1', resource: 'services' };
const ENDPOINT_SLICES = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' };

/** The way to the services of webhooks. */
interface WebhookServiceOptions {
  /** False: by their cluster IPs. */
  readonly routeToEndpoints: boolean;
  readonly random: RandomInt;
}

/**
 * Finds the services of webhooks: by cluster IP, or by endpoints with `--enable-aggregator-routing`. Services are read
 * from the first call on.
 * Upstream: buildServiceResolver of cmd/kube-apiserver/app/server.go
 */
export function webhookServiceResolver(
  { clock, logger, loopback, disposables }: ServerContext,
  { routeToEndpoints, random }: WebhookServiceOptions,
): ServiceResolver {
  const view = <T extends KubeObject>(resource: GroupVersionResource): Informer<T> => {
    const client = loopback.client.resource<T>(resource);
    return disposables.use(createInformer({ client, clock, random, logger: logger.named('webhooks') }));
  };
  const start = async (): Promise<ServiceResolver> => {
    const services = view<Service>(SERVICES);
    await services.synced();
    if (!routeToEndpoints) return clusterIPResolver({ services });
    const endpointSlices = view<EndpointSlice>(ENDPOINT_SLICES);
    await endpointSlices.synced();
    return endpointResolver({ services, endpointSlices }, random);
  };
  const resolver = once(start);
  return async (service) => await (await resolver())(service);
}
