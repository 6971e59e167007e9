import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { PathMux } from '../mux/non-go-restful-mux.js';
import { serveHttp1 } from '../serving/http1/http1-transport.js';
import { plainTextError } from '../serving/transport/plain-text.js';
import { transportContext } from '../serving/transport/transport-context.js';
import { type DebuggingConfig, installDebuggingPaths } from './debugging-paths.js';

/**
 * Opens a Unix socket that serves profiles and flags to any user who may open it; an existing file at its path is
 * removed. Rejects if it cannot listen there.
 * Upstream: DebugSocket of k8s.io/apiserver/pkg/server/routes/debugsocket.go
 */
export async function openDebugSocket(
  config: DebuggingConfig,
  { logger, now, owner }: { readonly logger: Logger; readonly now: () => number; readonly owner: object },
): Promise<AsyncDisposable> {
  const mux = new PathMux();
  installDebuggingPaths(mux, config, owner);
  const nothing: Handler = async (exchange) => plainTextError(exchange, 404, '404 page not found');
  const handler: Handler = (exchange) => (mux.handlerFor(exchange, nothing) ?? nothing)(exchange);
  const context = transportContext({ handler, logger, now });
  const server = createServer((message, response) => serveHttp1(context, message, response));
  await rm(config.socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.socketPath, resolve);
  });
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
