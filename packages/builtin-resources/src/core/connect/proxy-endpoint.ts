import { posix } from 'node:path';
import type { ConnectEndpoint, VerbContext } from '@apiserver/apiserver-contracts';
import type { BackendLocation, BackendTransport } from '@apiserver/proxy';
import type { ConnectionOptions } from './connections.js';

/** Options of every proxy: the path at the backend. */
export interface ProxyOptions {
  readonly path?: string;
}

/** The backend of a proxy. */
export interface ProxyBackend {
  readonly scheme: BackendLocation['scheme'];
  readonly hostname: string;
  readonly port: string;
  readonly transport: BackendTransport;
}

/** Upstream: proxyMethods in pkg/registry/core/pod/rest/subresources.go */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** The verbs of a proxy in discovery. */
export const PROXY_VERBS: readonly string[] = ['create', 'delete', 'get', 'patch', 'update'];

/** A proxy to the backend that `locate` finds. `maxBytesPerSec` limits upgraded connections; 0 for no limit. */
export function proxyEndpoint(
  { maxBytesPerSec }: Pick<ConnectionOptions, 'maxBytesPerSec'>,
  locate: (context: VerbContext, id: string) => Promise<ProxyBackend>,
): ConnectEndpoint<ProxyOptions> {
  return {
    methods: METHODS,
    pathOption: 'path',
    async connect(context, name, { path = '' }, exchange) {
      const { scheme, hostname, port, transport } = await locate(context, name);
      const { proxyRequest } = await import('@apiserver/proxy');
      const location = { scheme, hostname, port, path: cleanPath(path), rawQuery: '' };
      return proxyRequest(exchange, { location, transport, maxBytesPerSec, upgradeRequired: false });
    },
  };
}

/** Upstream: JoinPreservingTrailingSlash in k8s.io/apimachinery/pkg/util/net/http.go */
function cleanPath(path: string): string {
  if (path === '') return '';
  const normal = posix.normalize(path);
  const bare = normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
  return path.endsWith('/') && !bare.endsWith('/') ? `${bare}/` : bare;
}
