import type { Http2Fixture } from './http2-fixture.js';
import type { RawHttp2Client } from './raw-http2-client.js';

/** Gives a test its server, a client that has been greeted, and looks at what both have done when it is over. */
export type WithServer = (
  test: (client: RawHttp2Client, fixture: Http2Fixture) => Promise<void>,
) => () => Promise<void>;

/** Registers a test unless it is to be left out. */
export type RegisterTest = (name: string, test: () => Promise<void>, timeout?: number) => void;
