import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { SecureVersion } from 'node:tls';
import { EtcdConfigError, type EtcdTlsOptions } from './etcd-options.js';
import { handoverPath, type StoreHandover } from './store-handover.js';

/** The release of etcd whose flags and responses the launcher has. */
export const etcdVersion = '3.6.16';

interface Page {
  readonly type?: string;
  readonly body: string;
}

/**
 * Listens on every URL and returns what a launcher reports: health, version, and to a kube-apiserver the folder.
 * Resolves when all listen; rejects with the first failure.
 */
export async function listenEtcd(
  urls: readonly URL[],
  tls: EtcdTlsOptions,
  handover: StoreHandover,
): Promise<AsyncDisposable> {
  const respond = responder(pagesOf(handover));
  const servers = urls.map((url) => ({ url, server: serverFor(url, tls, respond) }));
  const close = async () => {
    await Promise.all(servers.map(({ server }) => closeServer(server)));
  };
  try {
    await Promise.all(servers.map(({ url, server }) => listen(server, url)));
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

/** Upstream: go.etcd.io/etcd/server/v3/etcdserver/api/etcdhttp (HandleHealth, HandleVersion) */
function pagesOf(handover: StoreHandover): ReadonlyMap<string, Page> {
  const series = `${etcdVersion.split('.').slice(0, 2).join('.')}.0`;
  const version = { etcdserver: etcdVersion, etcdcluster: series, storage: series };
  return new Map<string, Page>([
    ['/health', { body: JSON.stringify({ health: 'true', reason: '' }) }],
    ['/livez', { body: 'ok\n' }],
    ['/readyz', { body: 'ok\n' }],
    ['/version', { type: 'application/json', body: JSON.stringify(version) }],
    [handoverPath, { type: 'application/json', body: JSON.stringify(handover) }],
  ]);
}

function responder(pages: ReadonlyMap<string, Page>): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?');
    const page = pages.get(path);
    if (page === undefined) return refuse(response, 404, '404 page not found\n');
    if (request.method !== 'GET') {
      response.setHeader('Allow', 'GET');
      return refuse(response, 405, 'Method Not Allowed\n');
    }
    response.writeHead(200, { 'content-type': page.type ?? 'text/plain; charset=utf-8' }).end(page.body);
  };
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, headers).end(text);
}

function serverFor(url: URL, tls: EtcdTlsOptions, respond: RequestListener): Server {
  if (url.protocol === 'http:') return createServer(respond);
  if (tls.certFile === '' || tls.keyFile === '') {
    throw new EtcdConfigError(`TLS key/cert (--cert-file, --key-file) must be provided for client url ${url.origin}`);
  }
  return createTlsServer(tlsOptions(tls), respond);
}

function tlsOptions(tls: EtcdTlsOptions): ServerOptions {
  const maxVersion = secureVersion(tls.maxVersion);
  const minVersion = secureVersion(tls.minVersion);
  return {
    cert: readFileSync(tls.certFile),
    key: readFileSync(tls.keyFile),
    ...(tls.trustedCAFile === '' ? {} : { ca: readFileSync(tls.trustedCAFile) }),
    requestCert: tls.clientCertAuth || tls.trustedCAFile !== '',
    rejectUnauthorized: tls.clientCertAuth || tls.trustedCAFile !== '',
    ...(minVersion === undefined ? {} : { minVersion }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
  };
}

function secureVersion(text: string): SecureVersion | undefined {
  if (text === '') return undefined;
  if (text === 'TLS1.2' || text === 'TLS1.3') return `TLSv${text === 'TLS1.2' ? '1.2' : '1.3'}`;
  throw new EtcdConfigError(`unexpected TLS version ${JSON.stringify(text)}`);
}

async function listen(server: Server, { hostname, port, protocol }: URL): Promise<void> {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) });
  await once(server, 'listening');
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
