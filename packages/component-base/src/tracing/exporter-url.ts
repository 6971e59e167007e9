import { resolve } from 'node:path';
import { StartupError } from '../process/index.js';

/** gRPC's default port. */
const DEFAULT_PORT = 443;
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
  // The exporter takes no other form of a path.
  if (endpoint.startsWith('unix:')) return `unix://${resolve(endpoint.replace(/^unix:(?:\/\/)?/, ''))}`;
  // An authority would name the DNS server to ask; this machine's is asked.
  const target = endpoint.replace(/^dns:(?:\/\/[^/]*\/|(?!\/\/))/, '').replace(/^dns:\/\//, '');
  return `http://${target}`;
}

/** The host and the port of an exporter's URL; undefined for a unix socket. */
export function exporterTarget(url: string): { readonly hostname: string; readonly port: number } | undefined {
  const [, host = '', port = DEFAULT_PORT] = /^http:\/\/(.*?)(?::(\d+))?$/.exec(url) ?? [];
  return host === '' ? undefined : { hostname: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
