import { http2ServerSuite } from '@apiserver/http2/testing';
import { startHttp2Listener } from '../../testing/http2-listener-fixture.js';

http2ServerSuite('@apiserver/http2', () => startHttp2Listener());
