import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ApiResponse, Exchange, StreamEndpoint, StreamGetter } from '@apiserver/apiserver-contracts';
import { decodeOptions } from '../options/connect-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { negotiate } from './negotiate.js';
import { requestName, verbContextOf } from './request-target.js';

/**
 * Responds with the bytes of a stream as they arrive; on a WebSocket as messages. If the stream breaks, the response
 * ends, as upstream.
 * Upstream: GetResourceWithOptions in k8s.io/apiserver/pkg/endpoints/handlers/get.go, StreamObject in responsewriters
 */
export async function handleGetStream(
  scope: EndpointScope,
  { streamer }: StreamGetter,
  exchange: Exchange,
): Promise<ApiResponse> {
  const name = requestName(exchange);
  negotiate(scope, exchange);
  const options = decodeOptions(optionsCodec(streamer), exchange.request.query);
  const { content, contentType } = await streamer.open(verbContextOf(scope, exchange), name, options);
  if (content === undefined) return { type: 'bytes', status: 204, body: undefined };
  const upgrade = exchange.request.headers.get('upgrade');
  if (upgrade?.toLowerCase() === 'websocket') {
    const { isWebSocketRequest, streamOverWebSocket } = await import('@apiserver/proxy');
    if (isWebSocketRequest(exchange.request)) return streamOverWebSocket(exchange, content);
  }
  exchange.responseHeaders.set('Content-Type', contentType);
  return { type: 'chunks', status: 200, chunks: untilBroken(content), isPatient: true };
}

async function* untilBroken(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* content;
  } catch {
    // The headers are sent: the response can only end.
  }
}

const codecs = new WeakMap<StreamEndpoint, KindCodec>();

function optionsCodec(streamer: StreamEndpoint): KindCodec {
  let codec = codecs.get(streamer);
  if (codec === undefined) {
    codec = compileKind(streamer.optionsSchema as KindSchema);
    codecs.set(streamer, codec);
  }
  return codec;
}
