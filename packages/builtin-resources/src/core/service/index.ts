import { Service } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { serviceColumns } from './columns.js';
import { applyServiceDefaults } from './defaults.js';
import { serviceStatusStrategy, serviceStrategy } from './strategy.js';

/**
 * Services: a name and an address for a set of pods. Addresses and node ports come from a server's allocators:
 * `withServiceAllocators` gives the definition for a server.
 * Upstream: pkg/registry/core/service
 */
export const services = defineResource<Service>({
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
