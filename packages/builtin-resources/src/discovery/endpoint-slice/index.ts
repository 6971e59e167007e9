import { EndpointSlice } from '@apiserver/api/discovery/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { endpointSliceColumns } from './columns.js';
import { applyEndpointSliceDefaults } from './defaults.js';
import { endpointSliceStrategy } from './strategy.js';

/** EndpointSlices: the addresses of a service's pods, in several objects. */
export function endpointSlices(features: FeatureGates): ResourceDefinition<EndpointSlice> {
  return defineResource<EndpointSlice>({
    versions: [{ schema: EndpointSlice, applyDefaults: applyEndpointSliceDefaults }],
    strategy: endpointSliceStrategy(features),
    columns: endpointSliceColumns,
  });
}
