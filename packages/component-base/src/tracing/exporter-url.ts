import { StartupError } from '../process/index.js';

/** Upstream: the default of the exporter otlptracegrpc */
const DEFAULT = 'localhost:4317';

/**
 * The URL by which the exporter connects to a target of gRPC, always without TLS. Throws a StartupError for one that
 * Node's gRPC cannot reach.
 */
export function exporterUrl(endpoint = DEFAULT): string {
  if (endpoint.startsWith('unix-abstract:')) {
    throw new StartupError(
      `tracing: the endpoint ${endpoint} is not supported: Node cannot connect to abstract sockets`,
    );
  }
  if (endpoint.startsWith('unix:')) return endpoint;
  // An authority would name the DNS server to ask; this machine's is asked.
  const target = endpoint.replace(/^dns:(?:\/\/[^/]*\/|(?!\/\/))/, '').replace(/^dns:\/\//, '');
  return `http://${target}`;
}
