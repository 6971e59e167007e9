import fc from 'fast-check';
import { expect } from 'vitest';
import { encodeHeaderBlock } from '../hpack/header-block.js';
import type { Http2Fixture } from './http2-fixture.js';
import { clientPreface, getRequest, pingFrame, rawFrame, requestFields, uint32 } from './raw-frames.js';
import { RawHttp2Client } from './raw-http2-client.js';
import type { RegisterTest, WithServer } from './server-test.js';

const PATHS = ['/small', '/echo', '/hang', '/endless', '/large', '/nowhere'];

const stream = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1, 3, 5, 7, 9) },
  { weight: 1, arbitrary: fc.constantFrom(0, 2, 4, 2 ** 31 - 1, 2 ** 31 + 1) },
  { weight: 1, arbitrary: fc.nat(100) },
);
const flags = fc.oneof(fc.constantFrom(0, 1, 4, 5, 5, 5, 8, 13, 0x25), fc.nat(255));
const anything = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const block = fc.oneof(
  fc
    .record({ path: fc.constantFrom(...PATHS), method: fc.constantFrom('GET', 'POST', 'HEAD', 'CONNECT') })
    .map(({ path, method }) => encodeHeaderBlock(requestFields(path, method))),
  fc.constant(encodeHeaderBlock([['x-trailer', '1']])),
  anything,
);
const number = fc.oneof(fc.constantFrom(0, 1, 100, 65_535, 2 ** 31 - 1, 2 ** 32 - 1), fc.nat());
const settings = fc
  .array(fc.tuple(fc.nat(9), number), { maxLength: 3 })
  .map((each) => Buffer.concat(each.map(([id, value]) => Buffer.concat([Buffer.of(0, id), uint32(value)]))));

const frame = fc.oneof(
  { weight: 8, arbitrary: made(1, block) },
  { weight: 6, arbitrary: made(0, fc.oneof(anything, fc.constant(Buffer.alloc(16_384)))) },
  {
    weight: 3,
    arbitrary: made(
      8,
      number.map((value) => uint32(value)),
    ),
  },
  {
    weight: 2,
    arbitrary: made(
      3,
      number.map((value) => uint32(value)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(0, 0, 0, 1), settings).map(([ack, payload]) => rawFrame(4, ack, 0, payload)),
  },
  { weight: 2, arbitrary: made(9, block) },
  { weight: 1, arbitrary: made(2, fc.constant(Buffer.alloc(5))) },
  { weight: 1, arbitrary: fc.constant(pingFrame('random')) },
  { weight: 1, arbitrary: fc.constant(rawFrame(7, 0, 0, Buffer.alloc(8))) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(255), flags, stream, anything).map((of) => rawFrame(...of)) },
  { weight: 1, arbitrary: anything },
);

function made(type: number, payload: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc.tuple(flags, stream, payload).map(([flag, id, bytes]) => rawFrame(type, flag, id, bytes));
}

/** The bytes of a client, in chunks that end anywhere. */
const conversation = fc.record({
  frames: fc.array(frame, { minLength: 1, maxLength: 25 }),
  chunkBytes: fc.constantFrom(1_000_000, 1_000_000, 100, 9, 1),
  leaves: fc.boolean(),
});

export function randomFrameTests(register: RegisterTest, withServer: WithServer): void {
  register(
    'get responses or end their connection, and harm no other one',
    withServer(async (witness, server) => {
      await witness.send(getRequest(1, '/endless'));
      await fc.assert(
        fc.asyncProperty(conversation, async (said) => {
          const heard = witness.response(1).bytes;
          await talk(server, said);
          expect(await witness.ping()).toBe(true);
          if (heard < 50_000) await witness.until('more of what is endless', () => witness.response(1).bytes > heard);
        }),
        { numRuns: fc.readConfigureGlobal().numRuns ?? 100 },
      );
      witness.socket.destroy();
      // node:http2 may notice the end of a connection only after 30 seconds.
      await expect.poll(() => server.openRequests?.() ?? 0, { timeout: 90_000 }).toBe(0);
    }),
    30 * 60_000,
  );
}

type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;

async function talk(server: Http2Fixture, { frames, chunkBytes, leaves }: Conversation): Promise<void> {
  using client = new RawHttp2Client(await server.connect());
  client.acknowledges = false;
  const bytes = Buffer.concat([Buffer.from(clientPreface), rawFrame(4, 0, 0), ...frames]);
  const step = bytes.length > 10_000 ? 1_000_000 : chunkBytes;
  for (let at = 0; at < bytes.length && !client.closed; at += step) await client.raw(bytes.subarray(at, at + step));
  if (leaves) return;
  await client.until('settings', () => client.settingsSeen > 0 || client.closed);
  // The rest of an incomplete frame, then frames that no client may send.
  await client.raw(Buffer.alloc(client.serverSettings.maxFrameSize + 1_000));
  await client.until('an end of the connection', () => client.isOver);
}
