/** Authorizers. RBAC has its own package. */
export { alwaysAllow, alwaysDeny } from './always.js';
export {
  type AuthorizationMode,
  type AuthorizerFactories,
  authorizationFromModes,
  authorizationModes,
  type ServerAuthorization,
  validateAuthorizationModes,
} from './modes.js';
export { pathAuthorizer } from './path-authorizer.js';
export { privilegedGroupsAuthorizer } from './privileged-groups.js';
export { unionAuthorizer } from './union.js';
export { unionRuleResolver } from './union-rule-resolver.js';
export {
  type SubjectAccessReviewer,
  type WebhookAuthorizerOptions,
  webhookAuthorizer,
} from './webhook/webhook-authorizer.js';
