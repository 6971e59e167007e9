import type { Logger, Tracer } from '@apiserver/apiserver-contracts';
import { StartupError } from '../process/index.js';
import type { TracingConfiguration } from './tracing-configuration.js';

/** Dependencies of a tracer. */
export interface TracerOptions {
  readonly configuration: TracingConfiguration;
  /** The service and its instance, for the receiver of the spans. */
  readonly service: string;
  readonly instance: string;
  /** Gets the failures of exports. */
  readonly logger: Logger;
}

/**
 * A tracer that sends spans by OTLP over gRPC. It loads OpenTelemetry's SDK. Throws a StartupError if that is not
 * installed, which only a program without the bundle can meet, and for an endpoint that Node cannot reach.
 * Upstream: NewProvider of k8s.io/component-base/tracing
 */
export async function createTracer(options: TracerOptions): Promise<Tracer> {
  let module: typeof import('./open-telemetry-tracer.js');
  try {
    module = await import('./open-telemetry-tracer.js');
  } catch (error) {
    const packages = 'api, core, exporter-trace-otlp-grpc, resources and sdk-trace';
    throw new StartupError(`--tracing-config-file needs the packages ${packages} of @opentelemetry`, { cause: error });
  }
  return module.startTracer(options);
}
