export { Http2ClientConnection, type Http2ClientHandlers } from './client/http2-client-connection.js';
export type { Http2ClientStream, StreamEnd, StreamHandlers } from './client/http2-client-stream.js';
export { Http2Code, Http2Error } from './frames/frame-types.js';
export { encodeHeaderBlock } from './hpack/header-block.js';
export type { HeaderField } from './hpack/hpack-decoder.js';
