/** The admission chain and its plugins. */
export { createAdmissionChain } from './admission-chain.js';
export { newAdmissionForbidden } from './forbidden.js';
export {
  type NamespaceLifecycleOptions,
  type NamespaceWithPhase,
  namespaceLifecycle,
} from './plugins/namespace-lifecycle.js';
