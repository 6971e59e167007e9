import { APIService } from '@apiserver/api/apiregistration/v1';
import { defineResource } from '@apiserver/resource-kit';
import { apiServiceColumns } from './columns.js';
import { apiServiceStatusStrategy, apiServiceStrategy } from './strategy.js';

/** Default port of a service. */
const DEFAULT_PORT = 443;

/**
 * The resource of APIServices, which map a group version to its server. `now` is the clock of the conditions, in
 * milliseconds since the epoch.
 * Upstream: k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go
 */
export function apiServiceDefinition(now: () => number) {
  return defineResource<APIService>({
    categories: ['api-extensions'],
    versions: [{ schema: APIService, applyDefaults: applyApiServiceDefaults }],
    keyPrefix: 'apiregistration.k8s.io/apiservices',
    isJsonAtRest: true,
    strategy: apiServiceStrategy(now),
    columns: apiServiceColumns,
    subresources: { status: { strategy: apiServiceStatusStrategy(now) } },
  });
}

/** Mutates. Upstream: SetDefaults_ServiceReference of k8s.io/kube-aggregator/pkg/apis/apiregistration/v1 */
function applyApiServiceDefaults({ spec }: APIService): void {
  if (spec.service !== undefined) spec.service.port ??= DEFAULT_PORT;
}
