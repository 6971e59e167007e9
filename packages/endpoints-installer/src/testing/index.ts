export {
  createMemoryRestStorage,
  type MemoryRestStorage,
  type MemoryRestStorageOptions,
} from './memory-rest-storage.js';
export { testDefinition } from './test-definition.js';
export {
  createTestExchange,
  createTestResponseWriter,
  responseBody,
  type TestExchange,
  type TestExchangeOptions,
  type TestResponseWriter,
} from './test-exchange.js';
