import type { Tracer } from '@apiserver/apiserver-contracts';
import { StartupError } from '../process/index.js';
import { exporterTarget, exporterUrl } from './exporter-url.js';
import { type Relay, startRelay } from './relay.js';
import type { TracerOptions } from './tracer-options.js';

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
    const message = `--tracing-config-file needs @grpc/grpc-js, and the packages ${packages} of @opentelemetry`;
    throw new StartupError(message, { cause: error });
  }
  const url = exporterUrl(options.configuration.endpoint);
  const relay = await relayTo(url, options);
  return module.startTracer({ ...options, url: relay?.target ?? url, relay });
}

/** Node's client of gRPC has no dialer, so a relay dials for it. */
async function relayTo(url: string, { dial, logger }: TracerOptions): Promise<Relay | undefined> {
  const target = exporterTarget(url);
  return dial === undefined || target === undefined ? undefined : startRelay(() => dial(target), logger);
}
