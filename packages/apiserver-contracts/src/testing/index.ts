/** Loggers for tests. */
export { createTestLogger, type LoggedLine, silentLogger, throwingLogger } from './test-logger.js';
