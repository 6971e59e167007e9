import { Service } from '@apiserver/api/core/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
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
export const serviceDeclaration = defineResource<Service>({
  shortNames: ['svc'],
  categories: ['all'],
  versions: [{ schema: Service, applyDefaults: applyServiceDefaults }],
  keyPrefix: 'services/specs',
  strategy: serviceStrategy,
  columns: serviceColumns,
  subresources: { status: { strategy: serviceStatusStrategy } },
  selectableFieldNames: ['spec.clusterIP', 'spec.type'],
  selectableFields: ({ spec }) => ({ 'spec.clusterIP': spec.clusterIP ?? '', 'spec.type': spec.type ?? '' }),
  returnDeletedObject: true,
});

/** Dependencies of services on their server. */
export interface ServiceDependencies {
  readonly allocation: ServiceStoreOptions;
  readonly connections: ConnectionOptions;
}

/** The kind for one server, with its allocators and its connections to pods. */
export function services({ allocation, connections }: ServiceDependencies): ResourceDefinition<Service> {
  return withServiceConnections(withServiceAllocators(serviceDeclaration, allocation), connections);
}
