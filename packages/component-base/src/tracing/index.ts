export { createTracer, type TracerOptions } from './create-tracer.js';
export { readTracingConfiguration, type TracingConfiguration } from './tracing-configuration.js';
