/** Test support for authorizers and their callers. */
export { testAttributes } from './attributes.js';
export { authorizerSuite } from './authorizer-suite.js';
