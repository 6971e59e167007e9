import type { ApiResponse, ChunksResponse, StreamResponse, UpgradeResponse } from '@apiserver/apiserver-contracts';
import { isConnectionCut } from './connection-cut.js';
import { plainTextError } from './plain-text.js';
import type { ServerExchange } from './server-exchange.js';
import type { TransportContext } from './transport-context.js';

/** The way in which a transport responds to one exchange. Only one response is sent, and perhaps a 500 in its place. */
export interface Responder {
  /** True once the client can get nothing more. */
  readonly isGone: boolean;
  /** True once the head of the response is sent, so that no other response can follow. */
  readonly hasResponded: boolean;
  sendBytes(status: number, body: Uint8Array | undefined): Promise<void> | void;
  sendChunks(response: ChunksResponse): Promise<void>;
  sendStream(status: number, run: StreamResponse['run']): Promise<void>;
  /** Absent if the transport has no upgrades. */
  sendUpgrade?(response: UpgradeResponse): Promise<void>;
  /** Ends an incomplete response, so that the client sees that it is incomplete. Does nothing to a complete one. */
  breakOff(cause: unknown): void;
  /** Ends the exchange as a broken connection would. */
  cut(cause: unknown): void;
}

/** Runs the handler and sends its response. A failure is logged, and is a 500 if nothing was sent. Never rejects. */
export async function serveExchange(
  { handler, logger }: Pick<TransportContext, 'handler' | 'logger'>,
  exchange: ServerExchange,
  responder: Responder,
): Promise<void> {
  try {
    await send(responder, await handler(exchange));
  } catch (error) {
    if (responder.isGone) return;
    if (isConnectionCut(error)) return responder.cut(error);
    const { method, url } = exchange.request;
    logger.error(error, 'Serving a request failed', { method, url });
    fail(exchange, responder, error);
  }
}

function send(responder: Responder, response: ApiResponse): Promise<void> | void {
  if (responder.isGone) return;
  switch (response.type) {
    case 'bytes':
      return responder.sendBytes(response.status, response.body);
    case 'chunks':
      return responder.sendChunks(response);
    case 'stream':
      return responder.sendStream(response.status, response.run);
    case 'upgrade':
      if (responder.sendUpgrade !== undefined) return responder.sendUpgrade(response);
  }
  throw new Error(`this transport cannot send a response of type ${response.type}`);
}

function fail(exchange: ServerExchange, responder: Responder, error: unknown): void {
  try {
    if (responder.hasResponded) responder.breakOff(error);
    else void responder.sendBytes(500, plainTextError(exchange, 500, 'Internal Server Error').body);
  } catch {
    responder.breakOff(error);
  }
}
