import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { serveHttp1 } from './http1/http1-transport.js';
import { transportContext } from './transport/transport-context.js';

/** The context of `toExpress`. */
export interface ToExpressOptions {
  readonly logger: Logger;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
}

/**
 * A handler as the last function of an express app, or of any framework over node:http. The app must not have read the
 * body.
 *
 * `app.use(toExpress(server.handler, { logger }))`
 */
export function toExpress(
  handler: Handler,
  { logger, now = Date.now }: ToExpressOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const context = transportContext({ handler, logger, now });
  return (request, response) => serveHttp1(context, request, response);
}
