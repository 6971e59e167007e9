export { createLogOutput, type LogOutput } from './log-output.js';
export { LogVerbosity } from './log-verbosity.js';
export { createLogger } from './logger.js';
export { LoggingOptions } from './logging-options.js';
