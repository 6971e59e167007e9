import { messageOf } from '@apiserver/apimachinery/errors';
import type { Tracer } from '@apiserver/apiserver-contracts';
import { StartupError } from '../process/index.js';
import { exporterTarget, exporterUrl } from './exporter-url.js';
import { type Relay, startRelay } from './relay.js';
import type { TracerOptions } from './tracer-options.js';

/**
 * A tracer that sends spans by OTLP over gRPC. It loads OpenTelemetry's SDK. Throws a StartupError if that
 * cannot be loaded, and for an endpoint that Node cannot reach.
 * Upstream: NewProvider of k8s.io/component-base/tracing
 */
export async function createTracer(options: TracerOptions): Promise<Tracer> {
  const module = await loadTracer();
  const url = exporterUrl(options.configuration.endpoint);
  const relay = await relayTo(url, options);
  return module.startTracer({ ...options, url: relay?.target ?? url, relay });
}

type TracerModule = typeof import('./open-telemetry-tracer.js');

/** Only a program without the bundle can lack the packages, or have them in a version that is too old. */
export async function loadTracer(
  load: () => Promise<TracerModule> = () => import('./open-telemetry-tracer.js'),
): Promise<TracerModule> {
  try {
    return await load();
  } catch (cause) {
    const packages = 'api, core, exporter-trace-otlp-grpc, resources and sdk-trace';
    const needs = `--tracing-config-file needs @grpc/grpc-js, and the packages ${packages} of @opentelemetry`;
    const [reason] = messageOf(cause).split('\n');
    throw new StartupError(`${needs}: ${reason}`, { cause });
  }
}

/** Node's client of gRPC has no dialer, so a relay dials for it. */
async function relayTo(url: string, { dial, logger }: TracerOptions): Promise<Relay | undefined> {
  const target = exporterTarget(url);
  return dial === undefined || target === undefined ? undefined : startRelay(() => dial(target), logger);
}
