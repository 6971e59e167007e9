/** Test support for authorization: roles, bindings, and a client that stores them. */
export { MemoryInformer } from './memory-informer.js';
export { type Call, MemoryLoopbackClient } from './memory-loopback-client.js';
export {
  testAttributes,
  testClusterRole,
  testClusterRoleBinding,
  testLogger,
  testPathRule,
  testRole,
  testRoleBinding,
  testRule,
  testSubjects,
  testUser,
} from './policy-fixtures.js';
