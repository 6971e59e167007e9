import { describe, it } from 'vitest';
import type { SecureListenerOptions } from '../serving/secure-listener.js';
import type { TransportProtocol } from '../serving/transport/transport.js';
import { listen } from './listener-fixture.js';
import { fetchOver, openOver } from './transport-client.js';
import { connectionTests } from './transport-connection-tests.js';
import { requestTests } from './transport-request-tests.js';
import { responseTests } from './transport-response-tests.js';
import type { TransportTests } from './transport-tests.js';

/** A transport, with its permitted differences. */
export interface TransportTraits {
  readonly protocol: TransportProtocol;
  readonly listener?: Partial<SecureListenerOptions>;
  /** By the name of a test, why it is left out. */
  readonly skipped?: Readonly<Record<string, string>>;
}

/** The behaviour of every transport: requests, responses and connections. */
export function transportSuite(
  name: string,
  { protocol, listener: options = {}, skipped = {} }: TransportTraits,
): void {
  const tests: TransportTests = {
    protocol,
    test: (title, run) => {
      const reason = skipped[title];
      if (reason === undefined) it(title, { timeout: 30_000 }, run);
      else it.skip(`${title}: ${reason}`);
    },
    serve: async (handler) => {
      const { listener, port, lines } = await listen(handler, options);
      return {
        listener,
        port,
        lines,
        fetch: (request) => fetchOver(protocol, port, request),
        open: (path) => openOver(protocol, port, path),
      };
    },
  };
  describe(`transport: ${name}`, () => {
    describe('a request', () => requestTests(tests));
    describe('a response', () => responseTests(tests));
    describe('a connection', () => connectionTests(tests));
  });
}
