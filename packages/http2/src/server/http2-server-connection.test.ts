import { http2ServerSuite } from '../testing/http2-server-suite.js';
import { startOwnHttp2 } from '../testing/own-http2-fixture.js';

http2ServerSuite('Http2ServerConnection', () => startOwnHttp2());
