import type { Endpoint, EndpointSlice } from '@apiserver/api/discovery/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';

/** The label with the node's name, before there was a field. */
const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/**
 * Drops topology labels, which v1 does not support. A node's name that only the stored object has in its label moves
 * to the field. A patch of one endpoint thus keeps the nodes of the others. Mutates `slice`.
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
  return nameIsDNSSubdomain(name).length === 0;
}
