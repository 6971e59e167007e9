export { createTracer, type TracerOptions } from './create-tracer.js';
export type { RelayDialer } from './relay.js';
export { readTracingConfiguration, type TracingConfiguration } from './tracing-configuration.js';
