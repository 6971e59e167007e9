import { messageOf } from '@apiserver/apimachinery/errors';
import type { Tracer } from '@apiserver/apiserver-contracts';
import type { ChannelCredentials } from '@grpc/grpc-js';
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
  const isSocket = url.startsWith('unix:') || options.dial !== undefined;
  const credentials = isSocket ? await socketCredentials() : undefined;
  const relay = await relayTo(url, options);
  return module.startTracer({ ...options, url: relay?.target ?? url, credentials, relay });
}

/**
 * For the collector's unix socket or the relay's, where the exporter would use TLS. Elsewhere it makes credentials
 * itself; it refuses those of another version of @grpc/grpc-js, which a program may have.
 */
async function socketCredentials(): Promise<ChannelCredentials> {
  const { credentials } = await loadOptional('@grpc/grpc-js', () => import('@grpc/grpc-js'));
  return credentials.createInsecure();
}

type TracerModule = typeof import('./open-telemetry-tracer.js');

export function loadTracer(
  load: () => Promise<TracerModule> = () => import('./open-telemetry-tracer.js'),
): Promise<TracerModule> {
  const packages = 'api, core, exporter-trace-otlp-grpc, resources and sdk-trace';
  return loadOptional(`the packages ${packages} of @opentelemetry`, load);
}

/** Only a program without the bundle can lack the packages, or have them in a version that is too old. */
async function loadOptional<T>(packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const [reason] = messageOf(cause).split('\n');
    throw new StartupError(`--tracing-config-file needs ${packages}: ${reason}`, { cause });
  }
}

/** Node's client of gRPC has no dialer, so a relay dials for it. */
async function relayTo(url: string, { dial, logger }: TracerOptions): Promise<Relay | undefined> {
  const target = exporterTarget(url);
  return dial === undefined || target === undefined ? undefined : startRelay(() => dial(target), logger);
}
