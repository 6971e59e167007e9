import type { EndpointSlice } from '@apiserver/api/discovery/v1';

/** Mutates. Upstream: SetDefaults_EndpointPort of pkg/apis/discovery/v1/defaults.go */
export function applyEndpointSliceDefaults({ ports }: EndpointSlice): void {
  for (const port of ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
