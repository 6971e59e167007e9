/** Authorizers: who may do what. RBAC has its own package. */
export { alwaysAllow, alwaysDeny } from './always.js';
export {
  type AuthorizationMode,
  type AuthorizerFactories,
  authorizationModes,
  authorizerFromModes,
  validateAuthorizationModes,
} from './modes.js';
export { privilegedGroupsAuthorizer } from './privileged-groups.js';
export { unionAuthorizer } from './union.js';
