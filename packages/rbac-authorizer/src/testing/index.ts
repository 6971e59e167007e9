/** For tests of authorization, and of what needs roles, bindings and a server to write them to. */
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
