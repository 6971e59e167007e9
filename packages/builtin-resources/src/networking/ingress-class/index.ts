import { IngressClass } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { ingressClassColumns } from './columns.js';
import { applyIngressClassDefaults } from './defaults.js';
import { ingressClassStrategy } from './strategy.js';

/** IngressClasses: the controllers of Ingresses. */
export const ingressClasses = defineResource<IngressClass>({
  versions: [{ schema: IngressClass, applyDefaults: applyIngressClassDefaults }],
  strategy: ingressClassStrategy,
  columns: ingressClassColumns,
});
