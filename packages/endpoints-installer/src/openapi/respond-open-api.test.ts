import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createTestExchange, responseBody } from '../testing/index.js';
import { respondV2 } from './respond-open-api.js';
import { noProtobuf, serializeDocument } from './serialized/serialized-document.js';

it('compresses a part of a document like the whole', async () => {
  const text = JSON.stringify({ info: { title: 'x'.repeat(4_000) } });
  const document = await serializeDocument(text, 0, noProtobuf);
  const responses = ['bytes=10-2009', 'bytes=10-19', ''].map(async (range) => {
    const headers = { 'Accept-Encoding': 'gzip', ...(range !== '' && { Range: range }) };
    const exchange = createTestExchange({ url: '/openapi/v2', headers });
    const response = await respondV2(exchange, document);
    const encoding = exchange.responseHeaders.get('content-encoding');
    const body = await responseBody(response);
    return [encoding, (encoding === 'gzip' ? gunzipSync(body) : Buffer.from(body)).toString()];
  });
  expect(await Promise.all(responses)).toEqual([
    ['gzip', text.slice(10, 2010)],
    [undefined, text.slice(10, 20)],
    ['gzip', text],
  ]);
});
