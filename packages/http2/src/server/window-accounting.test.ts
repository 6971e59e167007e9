import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_WINDOW, Setting } from '../frames/frame-types.js';
import type { Http2Fixture } from '../testing/http2-fixture.js';
import { startOwnHttp2 } from '../testing/own-http2-fixture.js';
import {
  dataFrame,
  getRequest,
  headersFrame,
  paddedDataFrame,
  requestFields,
  resetFrame,
  windowUpdateFrame,
} from '../testing/raw-frames.js';
import { RawHttp2Client } from '../testing/raw-http2-client.js';

const windows = { initialWindowSize: 20_000, connectionWindow: 2 ** 17 };
/** The server returns credit in steps of this size. */
const step = windows.connectionWindow / 4;
/** The windows of the client: for a stream more than the server sends, for the connection more than the sum. */
const clientWindow = 50_000;
const clientGives = 3_000_000;

const part = fc.record({
  bytes: fc.oneof(fc.nat(5_000), fc.constantFrom(0, 1)),
  padding: fc.option(fc.nat(255), { nil: undefined }),
});
const exchange = fc.record({
  path: fc.constantFrom('/echo', '/echo', '/small', '/hang', '/large', '/broken', '/nowhere'),
  method: fc.constantFrom('POST', 'POST', 'HEAD'),
  length: fc.option(fc.nat(20), { nil: undefined }),
  parts: fc.array(part, { maxLength: 3 }),
  /** Sends more than the stream's window. */
  isTooMuch: fc.boolean(),
  end: fc.constantFrom('data', 'trailers', 'reset'),
  /** Waits for the server's credit before it ends. */
  waits: fc.boolean(),
});
type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never;

it('returns every byte of its windows, and uses every byte of the client’s, for any end of a stream', {
  timeout: 10 * 60_000,
}, async () => {
  await using server = await startOwnHttp2(windows);
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { minLength: 10, maxLength: 40 }), async (exchanges) => {
      using client = await new RawHttp2Client(await server.connect()).greet([Setting.initialWindowSize, clientWindow]);
      await client.send(windowUpdateFrame(0, clientGives));
      for (const [index, each] of exchanges.entries()) await run(client, 2 * index + 1, each);
      await expect.poll(() => server.openRequests?.()).toBe(0);
      await allIsGivenBack(client, 1_001);
      await allIsUsed(client, 2_001);
      expect(client.violations).toEqual([]);
      await over(client, server);
    }),
    { numRuns: fc.readConfigureGlobal().numRuns ?? 15 },
  );
});

async function run(client: RawHttp2Client, id: number, said: Exchange): Promise<void> {
  const { path, method, length, parts, isTooMuch, end, waits } = said;
  await client.until('the window of the connection', () => client.connectionWindow > 3 * windows.initialWindowSize);
  const fields = requestFields(path, method, length === undefined ? [] : [['content-length', String(length)]]);
  await client.send(headersFrame(id, fields, { endStream: false }));
  for (const { bytes, padding } of parts) {
    const content = Buffer.alloc(bytes);
    await client.send(padding === undefined ? dataFrame(id, content) : paddedDataFrame(id, content, padding));
  }
  if (isTooMuch) await client.send(dataFrame(id, Buffer.alloc(16_000)), dataFrame(id, Buffer.alloc(16_000)));
  if (waits) await client.ping();
  if (end === 'data') await client.send(dataFrame(id, 'end', true));
  if (end === 'trailers') await client.send(headersFrame(id, [['x-trailer', 'y']]));
  // Requests without a response, or with an endless one, end too.
  if (end === 'reset' || path === '/hang' || path === '/large') await client.send(resetFrame(id));
}

/** Unreturned credit is less than a step. A body that completes the step returns all of it. */
async function allIsGivenBack(client: RawHttp2Client, id: number): Promise<void> {
  expect(await client.ping()).toBe(true);
  let missing = step - (windows.connectionWindow - client.connectionWindow);
  expect(missing).toBeGreaterThan(0);
  await client.send(headersFrame(id, requestFields('/broken', 'POST'), { endStream: false }));
  while (missing > 0) {
    const size = Math.min(missing, 16_384);
    await client.send(dataFrame(id, Buffer.alloc(size)));
    missing -= size;
  }
  await client.until('the whole window', () => client.connectionWindow === windows.connectionWindow);
}

async function allIsUsed(client: RawHttp2Client, id: number): Promise<void> {
  await client.send(getRequest(id, '/large'), windowUpdateFrame(id, 2 ** 23));
  const given = DEFAULT_WINDOW + clientGives;
  const used = () => [...client.responses.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  await client.until('all that the client takes', () => used() === given);
  expect([await client.ping(), used()]).toEqual([true, given]);
}

async function over(client: RawHttp2Client, server: Http2Fixture): Promise<void> {
  client.socket.destroy();
  await expect.poll(() => server.openRequests?.()).toBe(0);
}
