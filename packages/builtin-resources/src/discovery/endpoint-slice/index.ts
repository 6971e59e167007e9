import { EndpointSlice } from '@apiserver/api/discovery/v1';
import { defineResource } from '@apiserver/resource-kit';
import { endpointSliceColumns } from './columns.js';
import { applyEndpointSliceDefaults } from './defaults.js';
import { endpointSliceStrategy } from './strategy.js';

/** EndpointSlices: where the pods of a service can be reached, in pieces. */
export const endpointSlices = defineResource<EndpointSlice>({
  versions: [{ schema: EndpointSlice, applyDefaults: applyEndpointSliceDefaults }],
  strategy: endpointSliceStrategy,
  columns: endpointSliceColumns,
});
