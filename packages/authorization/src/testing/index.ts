/** For tests of authorizers and of who asks them. */
export { testAttributes } from './attributes.js';
export { authorizerSuite } from './authorizer-suite.js';
