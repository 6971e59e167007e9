import { Ingress } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { ingressColumns } from './columns.js';
import { ingressStatusStrategy, ingressStrategy } from './strategy.js';

/** Ingresses: routing of external requests to services. */
export const ingresses = defineResource<Ingress>({
  shortNames: ['ing'],
  versions: [{ schema: Ingress }],
  // The key prefix from before they had a group of their own, as upstream.
  keyPrefix: 'ingress',
  strategy: ingressStrategy,
  columns: ingressColumns,
  subresources: { status: { strategy: ingressStatusStrategy } },
});
