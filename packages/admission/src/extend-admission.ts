import type { AdmissionChain, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { createAdmissionChain } from './admission-chain.js';

/** A chain with further plugins: each phase runs the plugins of `chain` first, and stops at the first refusal. */
export function extendAdmission(chain: AdmissionChain, ...plugins: readonly AdmissionPlugin[]): AdmissionChain {
  const further = createAdmissionChain(plugins);
  return {
    handles: (operation, scope) => chain.handles(operation, scope) || further.handles(operation, scope),
    admit: (attributes) => inTurn(chain.admit(attributes), () => further.admit(attributes)),
    validate: (attributes) => inTurn(chain.validate(attributes), () => further.validate(attributes)),
  };
}

/** Stays synchronous where the first part is. */
function inTurn(first: Promise<void> | void, next: () => Promise<void> | void): Promise<void> | void {
  return first === undefined ? next() : first.then(next);
}
