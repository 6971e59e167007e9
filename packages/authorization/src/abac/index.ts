/** Attribute-based access control by a policy file. */
export { abacAuthorizer } from './abac-authorizer.js';
export type { AbacPolicy } from './abac-policy.js';
export { loadPolicyFile } from './load-policy-file.js';
