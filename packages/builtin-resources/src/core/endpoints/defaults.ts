import type { Endpoints } from '@apiserver/api/core/v1';

/** Mutates. Upstream: SetDefaults_Endpoints of pkg/apis/core/v1/defaults.go */
export function applyEndpointsDefaults({ subsets = [] }: Endpoints): void {
  for (const { ports = [] } of subsets) {
    for (const port of ports) port.protocol ||= 'TCP';
  }
}
