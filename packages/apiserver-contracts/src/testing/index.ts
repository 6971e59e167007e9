/** Loggers for tests. */
export { silentLogger } from '../logger.js';
export { createTestLogger, type LoggedLine, throwingLogger } from './test-logger.js';
