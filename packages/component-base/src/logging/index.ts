export { silentLogger } from '@apiserver/apiserver-contracts';
export { type ConsoleLoggerOptions, consoleLogger } from './console-logger.js';
export { createLogOutput, type LogOutput } from './log-output.js';
export { LogVerbosity } from './log-verbosity.js';
export { createLogger } from './logger.js';
export { LoggingOptions } from './logging-options.js';
