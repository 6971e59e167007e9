import { expect } from 'vitest';
import { DEFAULT_WINDOW, Setting } from '../frames/frame-types.js';
import { largeBody, patternedBytes } from './http2-fixture.js';
import {
  dataFrame,
  getRequest,
  paddedDataFrame,
  postRequest,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from './raw-frames.js';
import type { RawHttp2Client } from './raw-http2-client.js';
import type { RegisterTest, WithServer } from './server-test.js';

/** A server respects the windows of its client, and its client may use the windows of the server. */
export function flowControlTests(register: RegisterTest, withServer: WithServer): void {
  sendingTests(register, withServer);
  takingTests(register, withServer);
}

/** Waits until the server has sent everything that its windows allow. */
async function settled(client: RawHttp2Client, stream: number): Promise<number> {
  const response = client.response(stream);
  await client.until('a head', () => response.statuses.length > 0);
  for (let before = -1; before !== response.bytes; ) {
    before = response.bytes;
    for (let round = 0; round < 3; round++) expect(await client.ping()).toBe(true);
  }
  return response.bytes;
}

function sendingTests(register: RegisterTest, withServer: WithServer): void {
  const initialWindow = async (client: RawHttp2Client, size: number) => {
    const acknowledged = client.settingsAcked + 1;
    await client.send(settingsFrame([Setting.initialWindowSize, size]));
    await client.until('an acknowledgement', () => client.settingsAcked >= acknowledged);
  };
  register(
    'sends only a head into an empty window, and then as much as it gets credit for',
    withServer(async (client) => {
      await initialWindow(client, 0);
      await client.send(getRequest(1, '/large'));
      const seen = [await settled(client, 1)];
      for (const more of [1, 1, 5, 16_384, 30_000]) {
        await client.send(windowUpdateFrame(1, more));
        await client.until(`${more} bytes`, () => client.response(1).bytes === (seen.at(-1) ?? 0) + more);
        seen.push(await settled(client, 1));
      }
      expect(seen).toEqual([0, 1, 2, 7, 16_391, 46_391]);
      const { chunks } = client.response(1);
      expect(Buffer.concat(chunks).equals(largeBody().subarray(0, 46_391))).toBe(true);
    }),
  );
  register(
    'sends byte by byte through a window of one byte',
    withServer(async (client) => {
      await initialWindow(client, 1);
      await client.send(getRequest(1, '/large'));
      const response = client.response(1);
      for (let bytes = 1; bytes <= 200; bytes++) {
        await client.until('a byte', () => response.bytes === bytes);
        await client.send(windowUpdateFrame(1, 1));
      }
      await client.until('the last byte', () => response.bytes === 201);
      expect(Buffer.concat(response.chunks).equals(largeBody().subarray(0, 201))).toBe(true);
    }),
  );
  register(
    'waits until a reduced window is open again',
    withServer(async (client) => {
      await initialWindow(client, 10);
      await client.send(getRequest(1, '/large'));
      const seen = [await settled(client, 1)];
      await initialWindow(client, 4);
      for (const more of [5, 1, 3]) {
        await client.send(windowUpdateFrame(1, more));
        seen.push(await settled(client, 1));
      }
      await initialWindow(client, 8);
      seen.push(await settled(client, 1));
      expect(seen).toEqual([10, 10, 10, 13, 17]);
    }),
  );
  register(
    'ends a response whose window has become negative',
    withServer(async (client) => {
      await initialWindow(client, 10);
      await client.send(postRequest(1, '/echo'), dataFrame(1, '0123456789'));
      await client.until('the echo', () => client.response(1).bytes === 10);
      await initialWindow(client, 4);
      await client.send(dataFrame(1, '', true));
      const { bytes, ended } = await client.whole(1);
      expect([bytes, ended, await client.ping()]).toEqual([10, true, true]);
    }),
  );
  register(
    'sends no more than the connection takes, whatever the streams take, and lets every stream have its part',
    withServer(async (client) => {
      await initialWindow(client, 2 ** 30);
      const ids = [1, 3, 5, 7];
      await client.send(...ids.map((id) => getRequest(id, '/large')));
      const total = () => ids.reduce((sum, id) => sum + client.response(id).bytes, 0);
      await client.until('the whole window', () => total() === DEFAULT_WINDOW);
      expect(await client.ping()).toBe(true);
      expect(total()).toBe(DEFAULT_WINDOW);
      const before = ids.map((id) => client.response(id).bytes);
      await client.send(windowUpdateFrame(0, 1_000_000));
      await client.until('more', () => total() === DEFAULT_WINDOW + 1_000_000);
      for (const [index, id] of ids.entries()) expect(client.response(id).bytes).toBeGreaterThan(before[index] ?? 0);
      await client.send(...ids.map((id) => resetFrame(id)));
    }),
  );
  register(
    'serves others while the window of a stream is shut, and sends headers while that of the connection is',
    withServer(async (client) => {
      await client.send(getRequest(1, '/large'));
      await client.until('the whole window', () => client.response(1).bytes === DEFAULT_WINDOW);
      await client.send(getRequest(3, '/nowhere'));
      expect((await client.whole(3)).statuses).toEqual([404]);
      await client.send(getRequest(5, '/small'), windowUpdateFrame(0, 100));
      expect((await client.whole(5)).statuses).toEqual([200]);
      expect(client.response(1).bytes).toBe(DEFAULT_WINDOW);
    }),
  );
}

function takingTests(register: RegisterTest, withServer: WithServer): void {
  register(
    'gives no credit for a body that nobody reads, and ends a client that exceeds its window',
    withServer(async (client) => {
      await client.send(postRequest(1, '/hang'));
      const window = client.windowOf(1);
      await sendBody(client, 1, window);
      expect(await client.ping()).toBe(true);
      expect([client.windowOf(1), client.response(1).resetCode]).toEqual([0, undefined]);
      await client.send(getRequest(3, '/small'));
      expect((await client.whole(3)).statuses).toEqual([200]);
      await client.send(dataFrame(1, 'x'));
      await client.until('an error', () => client.isOver || client.response(1).resetCode !== undefined);
      expect(client.goaway?.code ?? client.response(1).resetCode).toBe(3);
    }),
  );
  register(
    'gives credit for a body that is read',
    withServer(async (client) => {
      await client.acceptAll();
      await client.send(postRequest(1, '/echo'));
      const body = patternedBytes(3_000_000);
      await sendBody(client, 1, body.length, body);
      await client.send(dataFrame(1, '', true));
      expect(Buffer.concat((await client.whole(1)).chunks).equals(body)).toBe(true);
    }),
    60_000,
  );
  register(
    'counts padding, and gives credit for it',
    withServer(async (client) => {
      await client.acceptAll();
      await client.send(postRequest(1, '/echo'));
      const frames = Math.ceil((3 * client.windowOf(1)) / 257);
      for (let index = 0; index < frames; index++) {
        await client.until('credit', () => Math.min(client.windowOf(1), client.connectionWindow) >= 257);
        await client.send(paddedDataFrame(1, 'x', 255));
      }
      await client.send(dataFrame(1, '', true));
      expect((await client.whole(1)).bytes).toBe(frames);
    }),
    60_000,
  );
  register(
    'gives credit for bytes of streams that are over',
    withServer(async (client) => {
      const total = Math.ceil(1.25 * client.connectionWindow);
      let sent = 0;
      for (let id = 1; sent < total && id < 9_000; id += 2) {
        await client.send(postRequest(id, '/hang'));
        const size = Math.min(client.windowOf(id), total - sent);
        await sendBody(client, id, size);
        await client.send(resetFrame(id));
        sent += size;
      }
      expect(sent).toBe(total);
      await client.send(getRequest(9_999, '/small'));
      expect((await client.whole(9_999)).statuses).toEqual([200]);
    }),
    60_000,
  );
}

/** Sends a body without its end, as fast as the windows allow. */
async function sendBody(client: RawHttp2Client, id: number, size: number, body?: Buffer): Promise<void> {
  for (let sent = 0; sent < size; ) {
    await client.until('credit', () => Math.min(client.windowOf(id), client.connectionWindow) > 0 || client.isOver);
    if (client.isOver) return;
    const part = Math.min(16_384, size - sent, client.windowOf(id), client.connectionWindow);
    await client.send(dataFrame(id, body?.subarray(sent, sent + part) ?? Buffer.alloc(part)));
    sent += part;
  }
}
