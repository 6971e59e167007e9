/** Proxying to kubelets, pods and services; WebSocket and SPDY. It has large dependencies: import it dynamically. */
export { type BackendLocation, type BackendTransport, hostOf, locationText } from './backend/backend.js';
export { dialErrorText } from './backend/dial-error.js';
export { fetchKept, type KeptRequest } from './backend/fetch-kept.js';
export { openStream, type StreamPurpose } from './backend/open-stream.js';
export { readText } from './backend/read-text.js';
export type { CommandStreams } from './translation/command-channels.js';
export { type TranslatedCommand, translateStreams } from './translation/translate-streams.js';
export { tunnelStreams } from './translation/tunnel-streams.js';
export { type ProxyTarget, proxyRequest } from './upgrade-aware/proxy-request.js';
export {
  acceptWebSocket,
  type HandshakeRefusal,
  handshakeRefusal,
  refuseHandshake,
} from './websocket/accept-web-socket.js';
export { sendMessage, webSocketClosed } from './websocket/send-message.js';
export { streamOverWebSocket } from './websocket/stream-over-web-socket.js';
export {
  asksForStreamClose,
  asksForTunnel,
  isWebSocketRequest,
  offeredProtocols,
} from './websocket/web-socket-request.js';
