export { type Http2Fixture, largeBody, patternedBytes, smallBody, tick, tickMilliseconds } from './http2-fixture.js';
export { type Http2ServerTraits, http2ServerSuite } from './http2-server-suite.js';
export {
  clientPreface,
  getRequest,
  headersFrame,
  requestFields,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from './raw-frames.js';
export { RawHttp2Client } from './raw-http2-client.js';
