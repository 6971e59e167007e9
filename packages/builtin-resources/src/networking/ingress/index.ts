import { Ingress } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { ingressColumns } from './columns.js';
import { ingressStatusStrategy, ingressStrategy } from './strategy.js';

/** Ingresses: how requests from outside reach services. */
export const ingresses = defineResource<Ingress>({
  shortNames: ['ing'],
  versions: [{ schema: Ingress }],
  // Upstream keeps them where they were before they had a group of their own.
  keyPrefix: 'ingress',
  strategy: ingressStrategy,
  columns: ingressColumns,
  subresources: { status: { strategy: ingressStatusStrategy } },
});
