import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  isStatusError,
  messageOf,
  newBadRequest,
  newInternalError,
  newServiceUnavailable,
  type StatusError,
} from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { MemoryStore } from '@apiserver/registry-store/memory';
import type { PlaneClock } from '../clock/plane-clock.js';
import { ControlPlaneError } from '../control-plane-error.js';
import type { Faults } from '../faults/faults.js';
import type { Requests } from '../requests/requests.js';
import { clockRoutes } from './clock-routes.js';
import { checkAccess } from './endpoint-access.js';
import type { EndpointResponse } from './endpoint-call.js';
import { callRoute, type EndpointRoutes } from './endpoint-routes.js';
import { faultRoutes } from './fault-routes.js';
import { requestRoutes } from './request-routes.js';
import { snapshotRoutes } from './snapshot-routes.js';

/** The powers that the endpoint offers. */
export interface EndpointPowers {
  readonly clock: PlaneClock;
  /** Undefined if the store has no snapshots. */
  readonly store: MemoryStore | undefined;
  readonly faults: Faults;
  readonly requests: Requests;
}

/** Where the endpoint listens. */
export interface TestEndpointOptions {
  /** A loopback address. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly logger: Logger;
}

/** Connections at a time; further ones are closed. */
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8 * 1024;
/** Milliseconds in which a request must have come. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 120_000;

/**
 * The powers of tests over HTTP, for tests in other languages than TypeScript. It listens on a loopback address, and
 * every request needs the token. Until `serve`, each gets 503.
 */
export class TestEndpoint implements AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly url: string;
  /** Grants all powers over the server. */
  readonly token: string;
  readonly #server: Server;
  readonly #logger: Logger;
  #routes: EndpointRoutes | undefined = undefined;

  private constructor(server: Server, { host, logger }: TestEndpointOptions) {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new ControlPlaneError('the test endpoint has no port');
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
    this.token = randomBytes(32).toString('base64url');
    this.#server = server;
    this.#logger = logger;
    server.on('request', (request, response) => void this.#respond(request, response));
  }

  /** Resolves when the endpoint listens. Rejects with Node's error. */
  static async listen(options: TestEndpointOptions): Promise<TestEndpoint> {
    const server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.listen(options.port, options.host);
    await once(server, 'listening');
    return new TestEndpoint(server, options);
  }

  /** Offers the powers over a server that is ready. */
  serve({ clock, store, faults, requests }: EndpointPowers): void {
    const routes = {
      ...snapshotRoutes(store),
      ...clockRoutes(clock),
      ...faultRoutes(faults),
      ...requestRoutes(requests),
    };
    this.#routes = { ...routes, '/': { GET: () => ({ type: 'json', value: { paths: pathsOf(routes) } }) } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await send(response, await this.#called(request));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else await this.#refuse(request, response, error);
    }
  }

  async #called(request: IncomingMessage): Promise<EndpointResponse> {
    checkAccess(request, this.token);
    if (this.#routes === undefined) throw newServiceUnavailable('the server is starting');
    return await callRoute(this.#routes, request);
  }

  async #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    const { status } = this.#statusErrorOf(error);
    const code = status.code ?? 500;
    if (code === 401) response.setHeader('www-authenticate', 'Bearer');
    // The rest of the body would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    await send(response, { type: 'json', status: code, value: status }).catch(() => response.destroy());
  }

  #statusErrorOf(error: unknown): StatusError {
    if (isStatusError(error)) return error;
    if (error instanceof ControlPlaneError) return newBadRequest(messageOf(error));
    this.#logger.error(error, 'The test endpoint failed');
    return newInternalError(error);
  }
}

/** The methods of each path, with `NAME` for a name. */
function pathsOf(routes: EndpointRoutes): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(routes).map(([path, methods]) => [path.replace('*', 'NAME'), Object.keys(methods)]),
  );
}

async function send(response: ServerResponse, content: EndpointResponse): Promise<void> {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  if (content.type === 'none') {
    response.writeHead(204).end();
  } else if (content.type === 'json') {
    response.writeHead(content.status ?? 200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(content.value)}\n`);
  } else if (content.type === 'lines') {
    response.setHeader('content-type', 'application/x-ndjson');
    await pipeline(Readable.from(linesOf(content.values)), response);
  } else {
    response.setHeader('content-type', 'application/octet-stream');
    await pipeline(Readable.from(content.chunks), response);
  }
}

function* linesOf(values: Iterable<unknown>): Generator<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`;
}
