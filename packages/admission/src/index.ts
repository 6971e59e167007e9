/** The admission chain and its plugins. */
export { createAdmissionChain } from './admission-chain.js';
export { admissionMetrics } from './admission-metrics.js';
export { extendAdmission } from './extend-admission.js';
export { newAdmissionForbidden } from './forbidden.js';
export { type LoadPluginsOptions, loadPlugins } from './load-plugins.js';
export { ManifestEnvironment } from './manifests/manifest-environment.js';
export { ManifestMetrics } from './manifests/manifest-metrics.js';
export { MatchConditionMetrics } from './matching/match-condition-metrics.js';
export type {
  AdmissionPluginDefinition,
  AdmissionPluginDependencies,
  MappedResource,
  ReviewWebhookOptions,
} from './plugin-definition.js';
export {
  type NamespaceLifecycleOptions,
  type NamespaceWithPhase,
  namespaceLifecycle,
} from './plugins/namespace-lifecycle.js';
export { orderedPlugins } from './plugins/ordered-plugins.js';
export { QuotaRecount } from './quota/quota-recount.js';
export { WebhookEnvironment } from './webhooks/webhook-environment.js';
