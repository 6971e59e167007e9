import { Service } from '@apiserver/api/core/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { ConnectionOptions } from '../connect/connections.js';
import { withServiceConnections } from '../connect/with-connections.js';
import { type ServiceStoreOptions, withServiceAllocators } from './allocation/with-service-allocators.js';
import { serviceColumns } from './columns.js';
import { applyServiceDefaults } from './defaults.js';
import { serviceStatusStrategy, serviceStrategy } from './strategy.js';

/**
 * Services: a name and an address for a set of pods. A server's allocators provide addresses and node ports.
 * Upstream: pkg/registry/core/service
 */
export function serviceDeclaration(features: FeatureGates): ResourceDefinition<Service> {
  const rules = {
    relaxedNames: features.enabled('RelaxedServiceNameValidation'),
    strictAddresses: features.enabled('StrictIPCIDRValidation'),
  };
  const strategy = serviceStrategy(rules);
  return defineResource<Service>({
    shortNames: ['svc'],
    categories: ['all'],
    versions: [{ schema: Service, applyDefaults: applyServiceDefaults }],
    keyPrefix: 'services/specs',
    strategy,
    columns: serviceColumns,
    subresources: { status: { strategy: serviceStatusStrategy(strategy, rules) } },
    selectableFieldNames: ['spec.clusterIP', 'spec.type'],
    selectableFields: ({ spec }) => ({ 'spec.clusterIP': spec.clusterIP ?? '', 'spec.type': spec.type ?? '' }),
    returnDeletedObject: true,
  });
}

/** Dependencies of services on their server. */
export interface ServiceDependencies {
  readonly features: FeatureGates;
  readonly allocation: ServiceStoreOptions;
  readonly connections: ConnectionOptions;
}

/** The kind for one server, with its allocators and its connections to pods. */
export function services({ features, allocation, connections }: ServiceDependencies): ResourceDefinition<Service> {
  return withServiceConnections(
    withServiceAllocators(serviceDeclaration(features), features.enabled('StrictIPCIDRValidation'), allocation),
    connections,
  );
}
