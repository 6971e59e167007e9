import { describe, expect, it } from 'vitest';
import { exchangeTests } from './exchange-tests.js';
import { flowControlTests } from './flow-control-tests.js';
import { frameCases } from './frame-cases.js';
import { hostileTests } from './hostile-tests.js';
import { type Difference, type Http2Case, outcomeOf } from './http2-case.js';
import type { Http2Fixture } from './http2-fixture.js';
import { randomFrameTests } from './random-frame-tests.js';
import { RawHttp2Client } from './raw-http2-client.js';
import { requestCases } from './request-cases.js';
import type { RegisterTest, WithServer } from './server-test.js';

/** The known differences of a server. */
export interface Http2ServerTraits {
  /** By "section: case": the server's outcome instead of the expected one, with the reason. */
  readonly differences?: Readonly<Record<string, Difference>>;
  /** By the name of a test: the reason why it is skipped. */
  readonly skipped?: Readonly<Record<string, string>>;
}

/**
 * The behaviour of every HTTP/2 server, section by section of RFC 9113. Where that allows a choice,
 * golang.org/x/net/http2 decides. One server serves all tests; after each of them, it must serve a new connection.
 */
export function http2ServerSuite(
  name: string,
  start: () => Promise<Http2Fixture>,
  traits: Http2ServerTraits = {},
): void {
  describe(`HTTP/2 server: ${name}`, () => {
    let started: Promise<Http2Fixture> | undefined;
    const fixture = () => {
      started ??= start();
      return started;
    };
    const withServer: WithServer = (test) => async () => {
      const server = await fixture();
      using client = await new RawHttp2Client(await server.connect()).greet();
      await test(client, server);
      expect(client.violations).toEqual([]);
      client.socket.destroy();
      await mustBeWell(server);
    };
    const register: RegisterTest = (title, test, timeout) => {
      const reason = traits.skipped?.[title];
      if (reason === undefined) it(title, { timeout: timeout ?? 20_000 }, test);
      else it.skip(`${title}: ${reason}`);
    };
    for (const [section, cases] of [...frameCases(), ...requestCases()]) {
      describe(section, () => {
        for (const each of cases) {
          const difference = traits.differences?.[`${section}: ${each.name}`];
          caseTest(each, difference, withServer);
        }
      });
    }
    describe('exchanges', () => exchangeTests(register, withServer));
    describe('5.2 flow control', () => flowControlTests(register, withServer));
    describe('hostile clients', () => hostileTests(register, withServer));
    describe('random frames', () => randomFrameTests(register, withServer));
    it('has no open requests in the end', async () => {
      await using server = await fixture();
      await expect.poll(() => server.openRequests?.() ?? 0).toBe(0);
    });
  });
}

function caseTest(test: Http2Case, difference: Difference | undefined, withServer: WithServer): void {
  const expected = difference === undefined ? test.expected : [difference.instead];
  const because = difference === undefined ? '' : `, other than expected: ${difference.because}`;
  it(
    `${test.name}: ${expected[0]}${because}`,
    withServer(async (client) => {
      expect(expected).toContain(await outcomeOf(client, test, expected));
    }),
  );
}

/** The server must serve a new connection. */
async function mustBeWell(server: Http2Fixture): Promise<void> {
  using client = await new RawHttp2Client(await server.connect()).greet();
  expect(await client.ping()).toBe(true);
}
