import { readFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:http';
import { get as getOverTls, type RequestOptions as TlsRequestOptions } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orStartupError, StartupError, startupErrorOf } from '@apiserver/component-base/process';
import { handoverIdFile, handoverPath, parseHandover, type StoreHandover } from '@apiserver/etcd-launcher';
import type { EtcdTransport } from '../options/data-options.js';

/** Settings of `askForStore`. */
export interface AskOptions {
  /** Milliseconds for which a server that does not listen is retried. */
  readonly patience?: number;
}

const DEFAULT_PATIENCE_MS = 20_000;
const PAUSE_MS = 100;
const RESPONSE_TIMEOUT_MS = 5_000;

/**
 * Asks the servers whether they are launchers of this project. A launcher only names the folder of the objects.
 * Returns the handover, or undefined if an etcd (or any other server) responds. Throws a StartupError if a TLS file is
 * unreadable, no server responds, several launchers respond, or the launcher's folder is not on this machine.
 */
export async function askForStore(
  transport: EtcdTransport,
  { patience = DEFAULT_PATIENCE_MS }: AskOptions = {},
): Promise<StoreHandover | undefined> {
  const overTls = transport.servers.some((server) => server.startsWith('https:'));
  const target: Target = { servers: transport.servers, tls: overTls ? tlsFiles(transport) : {} };
  const handover = parseHandover(await firstResponse(target, performance.now() + patience));
  if (handover === undefined) return undefined;
  const { servers } = transport;
  if (servers.length > 1) {
    throw new StartupError(
      `--etcd-servers: ${servers.join(',')} are ${servers.length} servers; a launcher stands alone`,
    );
  }
  checkFolder(handover);
  return handover;
}

/** The servers to ask, and the TLS material. */
interface Target {
  readonly servers: readonly string[];
  readonly tls: RequestOptionsOverTls;
}

type RequestOptionsOverTls = Pick<TlsRequestOptions, 'ca' | 'cert' | 'key'>;

/**
 * A cluster may have members that are down. Throws the error of the first server if none responds. `deadline`: by
 * `performance.now()`.
 */
async function firstResponse({ servers, tls }: Target, deadline: number): Promise<string> {
  try {
    return await Promise.any(servers.map((server) => askUntil(server, tls, deadline)));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

async function askUntil(server: string, tls: RequestOptionsOverTls, deadline: number): Promise<string> {
  for (;;) {
    try {
      return await ask(server, tls);
    } catch (error) {
      if (performance.now() >= deadline) {
        throw startupErrorOf(error, `--etcd-servers: ${server} does not respond: `);
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns the body for any status; an etcd returns 404. Throws if there is no response. */
function ask(server: string, tls: RequestOptionsOverTls): Promise<string> {
  const url = new URL(handoverPath, server);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options: RequestOptions = { timeout: RESPONSE_TIMEOUT_MS, agent: false };
  const request = url.protocol === 'https:' ? getOverTls(url, { ...options, ...tls }) : get(url, options);
  request.on('error', reject);
  request.on('timeout', () => request.destroy(new Error('no response within 5s')));
  request.on('response', (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    response.on('end', () => resolve(body));
    response.on('error', reject);
  });
  return promise;
}

function tlsFiles({ caFile, certFile, keyFile }: EtcdTransport): RequestOptionsOverTls {
  return {
    ...(caFile === '' ? {} : { ca: readPem('--etcd-cafile', caFile) }),
    ...(certFile === '' ? {} : { cert: readPem('--etcd-certfile', certFile) }),
    ...(keyFile === '' ? {} : { key: readPem('--etcd-keyfile', keyFile) }),
  };
}

function readPem(flag: string, path: string): Buffer {
  return orStartupError(() => readFileSync(path), `${flag}: `);
}

function checkFolder({ directory, id }: StoreHandover): void {
  let found: string | undefined;
  try {
    found = readFileSync(join(directory, handoverIdFile), 'utf8');
  } catch {
    found = undefined;
  }
  if (found === id) return;
  throw new StartupError(
    `--etcd-servers: the launcher keeps its data in ${directory}, which is not there on this machine; ` +
      'run both on one machine',
  );
}
