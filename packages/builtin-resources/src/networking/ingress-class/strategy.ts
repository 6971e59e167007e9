import { type IngressClass, IngressClassSpec } from '@apiserver/api/networking/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateIngressClass, validateIngressClassUpdate } from './validation.js';

/** Upstream: pkg/registry/networking/ingressclass/strategy.go */
export const ingressClassStrategy: Strategy<IngressClass> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, { metadata }) {
    metadata.generation = 1;
  },
  validate: (_context, ingressClass) => validateIngressClass(ingressClass),
  prepareForUpdate: (_context, ingressClass, old) => countSpecChange(ingressClass, old, IngressClassSpec),
  validateUpdate: (_context, ingressClass, old) => validateIngressClassUpdate(ingressClass, old),
};
