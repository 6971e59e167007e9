/** Test support: the peers of a proxy. */
export { createWebSocketStream, WebSocket, WebSocketServer } from 'ws';
export { type Gateway, startGateway } from './gateway.js';
export { HeaderBlockReader } from './header-block-reader.js';
export { headerDictionary } from './header-dictionary.js';
export { type AcceptedStream, SpdyServer } from './spdy-server.js';
