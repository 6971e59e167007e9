import { Endpoints } from '@apiserver/api/core/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { endpointsColumns } from './columns.js';
import { applyEndpointsDefaults } from './defaults.js';
import { endpointsStrategy } from './strategy.js';

/** Endpoints: the addresses of a service's pods in one object. EndpointSlices replace them. */
export function endpoints(features: FeatureGates): ResourceDefinition<Endpoints> {
  return defineResource<Endpoints>({
    shortNames: ['ep'],
    versions: [{ schema: Endpoints, applyDefaults: applyEndpointsDefaults }],
    keyPrefix: 'services/endpoints',
    strategy: endpointsStrategy(features),
    columns: endpointsColumns,
  });
}
