import { expect, it } from 'vitest';
import { createTestExchange, responseBody } from '../../testing/index.js';
import { MAX_RANGES } from './byte-ranges.js';
import { serveContent } from './serve-content.js';

const CONTENT = Buffer.from('0123456789'.repeat(10));
const BOUNDARY = /(?<=boundary=|--)[0-9a-f]{60}/g;

async function serve(headers: Readonly<Record<string, string>>, method = 'GET', bytes: Uint8Array = CONTENT) {
  const exchange = createTestExchange({ url: '/openapi/v3/version', method, headers });
  const response = await serveContent(exchange, {
    etag: '"ABC"',
    lastModified: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    contentType: 'application/json',
    bytes: async () => bytes,
  });
  const fields = [...exchange.responseHeaders.entries()].map(([name, value]) => [name, String(value)] as const);
  const body = Buffer.from(await responseBody(response)).toString();
  return {
    status: 'status' in response ? response.status : undefined,
    fields: Object.fromEntries(fields.map(([name, value]) => [name, value.replace(BOUNDARY, 'B')])),
    body: body.replace(BOUNDARY, 'B'),
  };
}

const LATER = 'Fri, 02 Jan 2026 03:04:06 GMT';
const SAME = 'Fri, 02 Jan 2026 03:04:05 GMT';
const EARLIER = 'Fri, 02 Jan 2026 03:04:04 GMT';

it.each<[range: string, status: number, contentRange: string | undefined, body: string]>([
  ['bytes=0-4', 206, 'bytes 0-4/100', '01234'],
  ['bytes= 95 - 200 ', 206, 'bytes 95-99/100', '56789'],
  ['bytes=-3', 206, 'bytes 97-99/100', '789'],
  ['bytes=-0', 206, 'bytes 100-99/100', ''],
  ['bytes=98-,,', 206, 'bytes 98-99/100', '89'],
  ['bytes=200-, 98-', 206, 'bytes 98-99/100', '89'],
  ['bytes=+7-007', 206, 'bytes 7-7/100', '7'],
  ['bytes=', 200, undefined, CONTENT.toString()],
  ['bytes=0-,1-', 200, undefined, CONTENT.toString()],
  ['bytes=100-', 416, 'bytes */100', 'invalid range: failed to overlap\n'],
  ['bytes=5-4', 416, undefined, 'invalid range\n'],
  ['bytes=--5', 416, undefined, 'invalid range\n'],
  ['bytes=x', 416, undefined, 'invalid range\n'],
  ['bytes=0-9223372036854775808', 416, undefined, 'invalid range\n'],
  ['items=0-4', 416, undefined, 'invalid range\n'],
  ['bytes=\u00a00-4', 416, undefined, 'invalid range\n'],
  ['bytes=\t0\t-\t4\t', 206, 'bytes 0-4/100', '01234'],
])("serves the parts that Go's server serves: %s", async (range, status, contentRange, body) => {
  const served = await serve({ Range: range });
  expect([served.status, served.fields['content-range'], served.body]).toEqual([status, contentRange, body]);
});

it('serves several parts in one body', async () => {
  expect(await serve({ Range: 'bytes=0-1,-2' })).toEqual({
    status: 206,
    fields: {
      'accept-ranges': 'bytes',
      'content-type': 'multipart/byteranges; boundary=B',
      etag: '"ABC"',
      'last-modified': SAME,
    },
    body:
      '--B\r\nContent-Range: bytes 0-1/100\r\nContent-Type: application/json\r\n\r\n01' +
      '\r\n--B\r\nContent-Range: bytes 98-99/100\r\nContent-Type: application/json\r\n\r\n89\r\n--B--\r\n',
  });
});

it('ignores a field with more parts than are served', async () => {
  const parts = (count: number) => `bytes=${Array.from({ length: count }, () => '0-0').join(',')}`;
  const statuses = [MAX_RANGES, MAX_RANGES + 1].map(async (count) => (await serve({ Range: parts(count) })).status);
  expect(await Promise.all(statuses)).toEqual([206, 200]);
});

it('leaves no validators in a response without content', async () => {
  expect(await serve({ Range: 'bytes=x' }, 'HEAD')).toEqual({
    status: 416,
    fields: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: '',
  });
  expect((await serve({ Range: 'bytes=5-' }, 'GET', new Uint8Array())).status).toBe(200);
});

it.each<[headers: Readonly<Record<string, string>>, statuses: readonly [get: number, post: number]]>([
  [{ 'If-Match': '"x", "ABC"' }, [200, 200]],
  [{ 'If-Match': 'W/"ABC"' }, [412, 412]],
  [{ 'If-Match': 'ABC, "ABC"' }, [412, 412]],
  [{ 'If-Match': ' , *' }, [200, 200]],
  [{ 'If-Unmodified-Since': EARLIER }, [412, 412]],
  [{ 'If-Unmodified-Since': SAME }, [200, 200]],
  [{ 'If-Unmodified-Since': EARLIER, 'If-Match': '*' }, [200, 200]],
  [{ 'If-None-Match': 'W/"ABC"' }, [304, 412]],
  [{ 'If-None-Match': '"a b", "ABC"' }, [200, 200]],
  [{ 'If-Modified-Since': 'Friday, 02-Jan-26 03:04:05 GMT' }, [304, 200]],
  [{ 'If-Modified-Since': 'Fri Jan  2 03:04:05 2026' }, [304, 200]],
  [{ 'If-Modified-Since': '2026-01-02T03:04:05Z' }, [200, 200]],
  [{ 'If-Modified-Since': 'Tue, 31 Feb 2026 03:04:05 GMT' }, [200, 200]],
  [{ 'If-Modified-Since': 'Friday, 02-Jan-70 03:04:05 GMT' }, [200, 200]],
  [{ Range: 'bytes=0-1', 'If-Range': '"ABC"' }, [206, 206]],
  [{ Range: 'bytes=0-1', 'If-Range': 'W/"ABC"' }, [200, 206]],
  [{ Range: 'bytes=0-1', 'If-Range': SAME }, [206, 206]],
  [{ Range: 'bytes=0-1', 'If-Range': LATER }, [200, 206]],
])("evaluates conditions as Go's server: %j", async (headers, statuses) => {
  const served = await Promise.all([serve(headers), serve(headers, 'POST')]);
  expect(served.map(({ status }) => status)).toEqual(statuses);
});
