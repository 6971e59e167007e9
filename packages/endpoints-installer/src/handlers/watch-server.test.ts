import type { WatchSink } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { createTestResponseWriter } from '../testing/index.js';
import type { WatchFrames } from './watch-frames.js';
import { serveWatch } from './watch-server.js';

/** Starts a watch whose client leaves this many bytes unread, and returns its sink. */
function sinkFor(bufferedBytes: number, maxBufferBytes: number): WatchSink {
  let sink: WatchSink | undefined;
  const writer = createTestResponseWriter();
  Object.defineProperty(writer, 'bufferedBytes', { value: bufferedBytes });
  const frames = { lengthBytes: 0, prepare: () => undefined } as unknown as WatchFrames;
  void serveWatch({
    writer,
    frames,
    maxBufferBytes,
    source: {
      start: (started) => {
        sink = started;
      },
      close: () => {},
    },
    signal: new AbortController().signal,
    timeoutMs: 10,
    now: () => 0,
    countEvent: () => {},
    initialized: () => {},
    countTerminated: () => {},
    logger: silentLogger,
    path: '/',
  });
  if (sink === undefined) throw new TypeError('the watch was not started');
  return sink;
}

const MIB = 1024 * 1024;

it.each([
  ['goes on while a client reads', 256 * 1024, 4 * MIB, false],
  ['waits for a client with 256 KiB of past events', 256 * 1024 + 1, 4 * MIB, true],
  ['waits for a client at half of a smaller limit', 51, 100, true],
])('%s', (_, bufferedBytes, maxBufferBytes, waits) => {
  expect(sinkFor(bufferedBytes, maxBufferBytes).ready?.() instanceof Promise).toBe(waits);
});
