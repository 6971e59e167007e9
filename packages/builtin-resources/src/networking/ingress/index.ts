import { Ingress } from '@apiserver/api/networking/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { ingressColumns } from './columns.js';
import { ingressStatusStrategy, ingressStrategy } from './strategy.js';

/** Ingresses: routing of external requests to services. */
export function ingresses(features: FeatureGates): ResourceDefinition<Ingress> {
  const strategy = ingressStrategy(features);
  return defineResource<Ingress>({
    shortNames: ['ing'],
    versions: [{ schema: Ingress }],
    // The key prefix from before they had a group of their own, as upstream.
    keyPrefix: 'ingress',
    strategy,
    columns: ingressColumns,
    subresources: { status: { strategy: ingressStatusStrategy(strategy, features) } },
  });
}
