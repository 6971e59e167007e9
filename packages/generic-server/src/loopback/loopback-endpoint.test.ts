import { expect, it } from 'vitest';
import { LoopbackEndpoint } from './loopback-endpoint.js';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

it('refuses calls until it is served, then passes on those of clients that were made before', async () => {
  const endpoint = new LoopbackEndpoint(() => 0);
  const client = endpoint.client.resource(CONFIG_MAPS);
  await expect(client.get('ns', 'a')).rejects.toThrow('the loopback endpoint is not served yet');
  endpoint.serve(({ request }) => ({ type: 'bytes', status: 418, body: Buffer.from(request.path) }));
  await expect(client.get('ns', 'a')).rejects.toThrow('/api/v1/namespaces/ns/configmaps/a');
});

it('has one server', () => {
  const endpoint = new LoopbackEndpoint(() => 0);
  const handler = () => ({ type: 'bytes' as const, status: 200, body: Buffer.alloc(0) });
  endpoint.serve(handler);
  expect(() => endpoint.serve(handler)).toThrow('the loopback endpoint is served already');
});

it('posts JSON texts, as a proxied request has them', async () => {
  const endpoint = new LoopbackEndpoint(() => 0);
  endpoint.serve(async ({ request }) => {
    const sent: Uint8Array[] = [];
    for await (const chunk of request.bodyStream() ?? []) sent.push(chunk);
    const { path, rawQuery, headers } = request;
    const seen = [path, rawQuery, headers.get('content-type'), headers.get('content-length'), Buffer.concat(sent)];
    if (path === '/apis/refuses') return { type: 'bytes', status: 503, body: Buffer.from('no') };
    return { type: 'chunks', status: 200, chunks: [Buffer.from(seen.join(' ')), Buffer.from('!')] };
  });
  const query = new URLSearchParams({ timeout: '1s' });
  const { signal } = new AbortController();
  expect(await endpoint.post({ path: '/apis/a/hook', query }, '{"a":1}', signal)).toBe(
    '/apis/a/hook timeout=1s application/json 7 {"a":1}!',
  );
  await expect(endpoint.post({ path: '/apis/refuses', query }, '{}', signal)).rejects.toThrow(
    'unexpected response 503 in process: no',
  );
  const left = AbortSignal.abort(new Error('left'));
  await expect(endpoint.post({ path: '/apis/a/hook', query }, '{}', left)).rejects.toThrow('left');
});

it('reads a document again only if its tag is another one', async () => {
  const endpoint = new LoopbackEndpoint(() => 0);
  endpoint.serve(({ request, responseHeaders }) => {
    responseHeaders.set('ETag', '"1"');
    const isKnown = request.headers.get('if-none-match') === '"1"';
    const body = isKnown ? Buffer.alloc(0) : Buffer.from('{"a":1}');
    return { type: 'bytes', status: isKnown ? 304 : 200, body };
  });
  expect(await endpoint.readDocument('/openapi/v3/api/v1')).toEqual({ value: { a: 1 }, etag: '"1"' });
  expect(await endpoint.readDocument('/openapi/v3/api/v1', '"0"')).toEqual({ value: { a: 1 }, etag: '"1"' });
  expect(await endpoint.readDocument('/openapi/v3/api/v1', '"1"')).toBeUndefined();
});
