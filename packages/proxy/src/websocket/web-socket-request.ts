import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** Upstream: StreamProtocolV5Name of k8s.io/apimachinery/pkg/util/remotecommand */
export const STREAM_PROTOCOL_V5 = 'v5.channel.k8s.io';
/** Upstream: WebsocketsSPDYTunnelingPrefix and KubernetesSuffix of k8s.io/apimachinery/pkg/util/portforward */
export const TUNNELING_PREFIX = 'SPDY/3.1+';
const KUBERNETES_SUFFIX = 'k8s.io';

/** Reports whether a request is a WebSocket handshake. Upstream: wsstream.IsWebSocketRequest */
export function isWebSocketRequest({ headers, httpVersion }: Pick<ApiRequest, 'headers' | 'httpVersion'>): boolean {
  if (httpVersion !== '1.1' || headers.get('upgrade')?.toLowerCase() !== 'websocket') return false;
  return /(?:^|,\s*)upgrade(?:$|\s*,)/.test((headers.get('connection') ?? '').toLowerCase());
}

/** The subprotocols that a client offers, in its order, without a bearer token. */
export function offeredProtocols({ headers }: Pick<ApiRequest, 'headers'>): readonly string[] {
  return headers
    .all('sec-websocket-protocol')
    .flatMap((line) => line.split(','))
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith('base64url.bearer.authorization.k8s.io.'));
}

/** Upstream: wsstream.IsWebSocketRequestWithStreamCloseProtocol */
export function asksForStreamClose(request: ApiRequest): boolean {
  return isWebSocketRequest(request) && offeredProtocols(request).includes(STREAM_PROTOCOL_V5);
}

/** The SPDY protocols that a client wants to tunnel through a WebSocket. */
export function tunnelledProtocols(request: ApiRequest): readonly string[] {
  return offeredProtocols(request)
    .filter((protocol) => protocol.startsWith(TUNNELING_PREFIX) && protocol.endsWith(KUBERNETES_SUFFIX))
    .map((protocol) => protocol.slice(TUNNELING_PREFIX.length));
}

/** Upstream: wsstream.IsWebSocketRequestWithTunnelingProtocol */
export function asksForTunnel(request: ApiRequest): boolean {
  return isWebSocketRequest(request) && tunnelledProtocols(request).length > 0;
}
