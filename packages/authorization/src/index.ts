/** Authorizers. RBAC has its own package; Node, ABAC and the configuration file have entry points of their own. */
export { alwaysAllow, alwaysDeny } from './always.js';
export {
  authorizationChain,
  type ChainLink,
  type DecisionObserver,
  type ObserveLink,
  type ServerAuthorization,
} from './authorization-chain.js';
export {
  type AuthorizationMode,
  authorizationModes,
  type ModeSettings,
  validateAuthorizationModes,
} from './modes.js';
export { pathAuthorizer } from './path-authorizer.js';
export { privilegedGroupsAuthorizer } from './privileged-groups.js';
export { unionAuthorizer } from './union.js';
export { unionRuleResolver } from './union-rule-resolver.js';
export {
  type SubjectAccessReviewer,
  type WebhookAuthorizerOptions,
  type WebhookMatcher,
  webhookAuthorizer,
} from './webhook/webhook-authorizer.js';
