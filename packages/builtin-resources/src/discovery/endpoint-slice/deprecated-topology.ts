import type { Endpoint, EndpointSlice } from '@apiserver/api/discovery/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';

/** The label under which a node's name stood before it had a field of its own. */
const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/**
 * Drops what v1 has no place for. A node's name that only the stored object has under its label moves to its field; so a
 * patch of one endpoint does not lose the nodes of the others. Mutates `slice`.
 * Upstream: dropTopologyOnV1 of pkg/registry/discovery/endpointslice/strategy.go
 */
export function dropDeprecatedTopology(slice: EndpointSlice, old: EndpointSlice | undefined): void {
  if (old !== undefined && equalJson(slice.endpoints ?? [], old.endpoints ?? [])) return;
  const stored = new Set((old?.endpoints ?? []).map(labelledNode));
  for (const endpoint of slice.endpoints ?? []) {
    const node = labelledNode(endpoint);
    if (endpoint.nodeName === undefined && node !== undefined && stored.has(node) && isNodeName(node)) {
      endpoint.nodeName = node;
    }
    delete endpoint.deprecatedTopology;
  }
}

function labelledNode({ deprecatedTopology }: Endpoint): string | undefined {
  return deprecatedTopology?.[HOSTNAME_LABEL] || undefined;
}

function isNodeName(name: string): boolean {
  return nameIsDNSSubdomain(name, false).length === 0;
}
