import type { Http2Fixture } from './http2-fixture.js';
import type { RawHttp2Client } from './raw-http2-client.js';

/** Runs a test with its server and a client after its handshake, and checks both afterwards. */
export type WithServer = (
  test: (client: RawHttp2Client, fixture: Http2Fixture) => Promise<void>,
) => () => Promise<void>;

/** Registers a test unless it is skipped. */
export type RegisterTest = (name: string, test: () => Promise<void>, timeout?: number) => void;
