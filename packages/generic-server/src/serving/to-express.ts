import type { IncomingMessage, ServerResponse } from 'node:http';
import { newInternalError } from '@apiserver/apimachinery/errors';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { serveHttp1 } from './http1/http1-transport.js';
import { transportContext } from './transport/transport-context.js';

const READ_BEFORE = 'the app read the body of the request: mount the API server before anything that reads bodies';

/** The context of `toExpress`. */
export interface ToExpressOptions {
  readonly logger: Logger;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
}

/**
 * A handler as the last function of an express app, or of any framework over node:http. A request whose body the app has
 * read gets a 500, and the log names the reason.
 *
 * `app.use(toExpress(server.handler, { logger }))`
 */
export function toExpress(
  handler: Handler,
  { logger, now = Date.now }: ToExpressOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const context = transportContext({ handler, logger, now });
  return (request, response) => {
    if (request.readableDidRead && hasBody(request)) refuseReadRequest(request, response, logger);
    else serveHttp1(context, request, response);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function refuseReadRequest({ method, url }: IncomingMessage, response: ServerResponse, logger: Logger): void {
  const error = newInternalError(READ_BEFORE);
  logger.error(error, 'Refused a request', { method, path: url });
  response.writeHead(500, { 'Content-Type': 'application/json' }).end(JSON.stringify(error.status));
}
