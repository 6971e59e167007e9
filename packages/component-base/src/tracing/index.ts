export { createTracer } from './create-tracer.js';
export type { RelayDialer } from './relay.js';
export type { TracerOptions } from './tracer-options.js';
export { readTracingConfiguration, type TracingConfiguration } from './tracing-configuration.js';
