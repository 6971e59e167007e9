import type { Clock } from '@apiserver/apimachinery/clock';
import { newResourceExpired } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, ResponseWriter, StreamResponse } from '@apiserver/apiserver-contracts';
import { watchErrorFrame } from '@apiserver/endpoints-installer';
import { ConnectionCut, type GenericServerConfig } from '@apiserver/generic-server';
import { durationMilliseconds } from '../matching/duration.js';
import type { FaultEffect, WatchFault } from './fault-rule.js';
import { BookmarkDroppingWriter, EndingWriter, LateBookmarkWriter } from './watch-writers.js';

/** Dependencies of the faults of watches. */
export interface WatchFaultContext {
  readonly clock: Clock;
  readonly cbor: GenericServerConfig['cbor'];
}

/** The response of a watch that ends early. Other responses stay. */
export function endedWatch(
  response: ApiResponse,
  exchange: Exchange,
  fault: WatchFault,
  context: WatchFaultContext,
): ApiResponse {
  if (response.type !== 'stream') return response;
  const run = (writer: ResponseWriter) => runUntilEnd({ response, exchange, fault, context }, writer);
  return { ...response, run };
}

interface EndedWatch {
  readonly response: StreamResponse;
  readonly exchange: Exchange;
  readonly fault: WatchFault;
  readonly context: WatchFaultContext;
}

async function runUntilEnd({ response, exchange, fault, context }: EndedWatch, writer: ResponseWriter): Promise<void> {
  let isCut = false;
  const ending = new EndingWriter(writer, fault.events ?? Number.POSITIVE_INFINITY, () => {
    isCut = true;
    if (fault.end === 'expired' && !writer.closed) writer.write(expiredFrame(exchange, context));
    // Ends the watch in the server, which then ends the response in order.
    exchange.abort(new ConnectionCut('a fault ends the watch'));
  });
  const isAtOnce = fault.events === undefined && fault.time === undefined;
  const cancel =
    fault.time === undefined ? undefined : context.clock.schedule(() => ending.end(), durationMilliseconds(fault.time));
  if (isAtOnce || fault.events === 0) ending.end();
  await response.run(ending);
  cancel?.();
  if (isCut && fault.end === 'reset') throw new ConnectionCut('a fault cuts the watch');
}

/** The response of a watch whose version is too old: an event that says so, and the end. */
export function expiredWatch(response: ApiResponse, exchange: Exchange, context: WatchFaultContext): ApiResponse {
  return endedWatch(response, exchange, { end: 'expired' }, context);
}

/** Upstream: getAllEventsSinceLocked of k8s.io/apiserver/pkg/storage/cacher/watch_cache.go */
function expiredFrame({ request, responseHeaders }: Exchange, { cbor }: WatchFaultContext): Uint8Array {
  const version = Number(request.query.get('resourceVersion') ?? 0);
  const { status } = newResourceExpired(`too old resource version: ${version} (${version + 1})`);
  const type = responseHeaders.get('content-type') ?? '';
  return watchErrorFrame(status, type, cbor);
}

/** The response of a watch whose bookmarks never come, or late. Other responses stay. */
export function withBookmarks(
  response: ApiResponse,
  bookmarks: NonNullable<FaultEffect['bookmarks']>,
  { clock }: WatchFaultContext,
): ApiResponse {
  if (response.type !== 'stream') return response;
  if (bookmarks === 'never') {
    return { ...response, run: (writer: ResponseWriter) => response.run(new BookmarkDroppingWriter(writer)) };
  }
  const delay = durationMilliseconds(bookmarks.delay);
  return {
    ...response,
    run: async (writer: ResponseWriter) => {
      const late = new LateBookmarkWriter(writer, clock, delay);
      try {
        await response.run(late);
      } finally {
        late.stop();
      }
    },
  };
}
