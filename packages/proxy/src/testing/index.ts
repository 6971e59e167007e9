/** For tests of what stands at the other end. */
export { HeaderBlockReader } from './header-block-reader.js';
export { headerDictionary } from './header-dictionary.js';
export { type AcceptedStream, SpdyServer } from './spdy-server.js';
