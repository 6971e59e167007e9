import { expect } from 'vitest';
import { FrameType, Setting } from '../frames/frame-types.js';
import { largeBody, patternedBytes, smallBody, tick } from './http2-fixture.js';
import {
  clientPreface,
  dataFrame,
  getRequest,
  headersFrame,
  postRequest,
  rawFrame,
  requestFields,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from './raw-frames.js';
import { RawHttp2Client, type RawResponse } from './raw-http2-client.js';
import type { RegisterTest, WithServer } from './server-test.js';

const bodyOf = (response: RawResponse) => Buffer.concat(response.chunks);

/** Well-behaved clients, alone and many at once. */
export function exchangeTests(register: RegisterTest, withServer: WithServer): void {
  prefaceTests(register, withServer);
  register(
    'responds, with a length',
    withServer(async (client) => {
      await client.send(getRequest(1, '/small'));
      const response = await client.whole(1);
      expect([response.statuses, bodyOf(response).toString()]).toEqual([[200], smallBody]);
      expect(response.fields).toContainEqual(['content-length', String(smallBody.length)]);
    }),
  );
  register(
    'responds to HEAD with the head alone',
    withServer(async (client) => {
      await client.send(headersFrame(1, requestFields('/small', 'HEAD')));
      const response = await client.whole(1);
      expect([response.statuses, response.bytes, response.ended]).toEqual([[200], 0, true]);
      expect(response.fields).toContainEqual(['content-length', String(smallBody.length)]);
    }),
  );
  register(
    'says that a body is welcome to who waits for that',
    withServer(async (client) => {
      await client.send(postRequest(1, '/echo', [['expect', '100-continue']]));
      const response = client.response(1);
      await client.until('100', () => response.statuses.length > 0);
      await client.send(dataFrame(1, 'body', true));
      await client.whole(1);
      expect([response.statuses, bodyOf(response).toString()]).toEqual([[100, 200], 'body']);
    }),
  );
  register(
    'responds before the request is complete, and resets the rest of it',
    withServer(async (client) => {
      await client.send(postRequest(1, '/small'), dataFrame(1, 'a part'));
      const response = await client.whole(1);
      expect([response.statuses, bodyOf(response).toString()]).toEqual([[200], smallBody]);
      await client.until('the end', () => response.resetCode !== undefined);
      expect(response.resetCode).toBe(0);
      // Frames that were already sent are harmless.
      await client.send(dataFrame(1, 'the rest', true));
      expect(await client.ping()).toBe(true);
    }),
  );
  register(
    'responds to a hundred requests at once, each with its own body',
    withServer(async (client) => {
      await client.acceptAll();
      const bodies = Array.from({ length: 100 }, (_, index) => patternedBytes(index * 37).subarray(index));
      for (const [index, body] of bodies.entries()) {
        await client.send(postRequest(2 * index + 1, '/echo'), dataFrame(2 * index + 1, body, true));
      }
      for (const [index, body] of bodies.entries()) {
        const response = await client.whole(2 * index + 1);
        expect([response.statuses, bodyOf(response).equals(body)]).toEqual([[200], true]);
      }
    }),
  );
  register(
    'sends others their bytes while it sends much on one stream',
    withServer(async (client) => {
      await client.acceptAll();
      await client.send(getRequest(1, '/endless'), getRequest(3, '/large'), getRequest(5, '/large'));
      const [ticks, large] = [client.response(1), client.response(3)];
      await client.until('the large response', () => large.bytes > 0);
      await client.send(getRequest(7, '/small'));
      await client.whole(7);
      expect([large.ended, bodyOf(client.response(7)).toString()]).toEqual([false, smallBody]);
      await client.until('half of the large response', () => large.bytes > largeBody().length / 2);
      const heard = ticks.bytes;
      expect(heard).toBeGreaterThan(0);
      await client.whole(3);
      await client.whole(5);
      expect(bodyOf(large).equals(largeBody())).toBe(true);
      expect(bodyOf(client.response(5)).equals(largeBody())).toBe(true);
      expect(ticks.bytes).toBeGreaterThan(heard);
      expect(bodyOf(ticks).toString()).toBe(tick.repeat(ticks.bytes / tick.length));
    }),
    60_000,
  );
  register(
    'takes as many streams as it says, and one more when one is over',
    withServer(async (client) => {
      const most = Math.min(client.serverSettings.maxConcurrentStreams, 2_000);
      await client.send(...Array.from({ length: most }, (_, index) => getRequest(2 * index + 1, '/hang')));
      expect(await client.ping()).toBe(true);
      expect([...client.responses.values()].filter(({ resetCode }) => resetCode !== undefined)).toEqual([]);
      const next = 2 * most + 1;
      if (most === client.serverSettings.maxConcurrentStreams) {
        await client.send(getRequest(next, '/small'));
        expect((await client.whole(next)).resetCode).toBe(1);
      }
      await client.send(resetFrame(1), getRequest(next + 2, '/small'));
      expect((await client.whole(next + 2)).statuses).toEqual([200]);
    }),
  );
  register(
    'acknowledges settings one for one',
    withServer(async (client) => {
      const before = client.settingsAcked;
      await client.send(settingsFrame([Setting.initialWindowSize, 100]));
      await client.until('an acknowledgement', () => client.settingsAcked === before + 1);
      await client.send(settingsFrame([Setting.maxFrameSize, 20_000]), settingsFrame());
      await client.until('acknowledgements', () => client.settingsAcked >= before + 2);
      expect(await client.ping()).toBe(true);
    }),
  );
  register(
    'keeps to the table that the client wants',
    withServer(async (client) => {
      for (const [index, size] of [0, 4096, 100, 65_536, 0, 64].entries()) {
        await client.send(settingsFrame([Setting.headerTableSize, size]));
        for (const id of [0, 1, 2].map((each) => 2 * (3 * index + each) + 1)) {
          await client.send(getRequest(id, '/small'));
          expect((await client.whole(id)).statuses).toEqual([200]);
        }
      }
    }),
  );
  register(
    'serves the requests before a GOAWAY of the client, and then ends',
    withServer(async (client) => {
      await client.send(postRequest(1, '/echo'), rawFrame(FrameType.goaway, 0, 0, Buffer.alloc(8)));
      await client.send(dataFrame(1, 'late', true));
      expect(bodyOf(await client.whole(1)).toString()).toBe('late');
      await client.until('the end', () => client.closed);
    }),
  );
  register(
    'ignores requests after the last one that its GOAWAY names, and serves that one',
    withServer(async (client) => {
      await client.send(postRequest(1, '/echo'), rawFrame(FrameType.goaway, 0, 0, Buffer.alloc(8)));
      await client.until('the GOAWAY', () => client.goaway !== undefined);
      expect(client.goaway).toEqual({ lastStream: 1, code: 0 });
      const late = [postRequest(3, '/echo'), dataFrame(3, 'x'), windowUpdateFrame(3, 1)];
      await client.send(...late, headersFrame(3, [['x-trailer', 'y']]), resetFrame(3), getRequest(5, '/small'));
      await client.send(dataFrame(1, 'first', true));
      expect(bodyOf(await client.whole(1)).toString()).toBe('first');
      await client.until('the end', () => client.closed);
      expect([client.goaway, [...client.responses.keys()]]).toEqual([{ lastStream: 1, code: 0 }, [1]]);
    }),
  );
}

function prefaceTests(register: RegisterTest, withServer: WithServer): void {
  const opening = Buffer.concat([Buffer.from(clientPreface), settingsFrame()]);
  register(
    'takes the preface and an exchange byte by byte',
    withServer(async (_, server) => {
      using client = new RawHttp2Client(await server.connect());
      client.acknowledges = false;
      const exchange = [
        opening,
        postRequest(1, '/echo'),
        dataFrame(1, 'by'),
        windowUpdateFrame(1, 9),
        dataFrame(1, 'te', true),
      ];
      for (const byte of Buffer.concat(exchange)) await client.raw(Buffer.of(byte));
      const response = await client.whole(1);
      expect([response.statuses, bodyOf(response).toString(), client.violations]).toEqual([[200], 'byte', []]);
    }),
    60_000,
  );
  register(
    'takes an exchange that comes before its settings are read',
    withServer(async (_, server) => {
      using client = new RawHttp2Client(await server.connect());
      await client.raw(Buffer.concat([opening, getRequest(1, '/small')]));
      expect((await client.whole(1)).statuses).toEqual([200]);
    }),
  );
  for (const [what, bytes] of [
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n')],
    ['a preface with an error in it', Buffer.from(clientPreface.replace('SM', 'MS'))],
    ['a frame that is none of settings', Buffer.concat([Buffer.from(clientPreface), windowUpdateFrame(0, 1)])],
  ] as const) {
    register(
      `ends a connection that begins with ${what}`,
      withServer(async (_, server) => {
        using client = new RawHttp2Client(await server.connect());
        await client.raw(bytes);
        await client.until('the end', () => client.isOver);
        expect([undefined, 1]).toContain(client.goaway?.code);
      }),
    );
  }
}
