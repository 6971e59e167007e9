export {
  createTestExchange,
  createTestResponseWriter,
  responseBody,
  type TestExchange,
  type TestExchangeOptions,
  type TestResponseWriter,
} from './test-exchange.js';
