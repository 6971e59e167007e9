import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { configMaps, HealthyServer } from './healthy-server.ts';

const server = new HealthyServer();
const mebibyte = 1024 * 1024;
const json = { 'content-type': 'application/json' };
let made = 0;
const freshName = () => `hostile-${made++}`;

/** A ConfigMap as text, with more of it at its top level. */
const text = (more: string, name = freshName()) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}${more}}`;

async function post(body: string | Uint8Array, headers: Record<string, string> = json) {
  using client = server.client();
  const stream = client.session.request({ ':method': 'POST', ':path': configMaps, ...headers });
  stream.on('error', () => {});
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const head = new Promise<import('node:http2').IncomingHttpHeaders>((resolve) => stream.once('response', resolve));
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.end(body);
  const received = await head;
  await closed;
  return { status: received[':status'], headers: received, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

describe('a body', () => {
  const large = 'x'.repeat(3 * mebibyte);
  it.each<[string, string | Uint8Array, Record<string, string>, number, string]>([
    ['of more than 3 MiB', text(`,"data":{"k":"${large}"}`), json, 413, 'limit is 3145728'],
    [
      'of 10,000 arrays in each other',
      text(`,"data":${'['.repeat(10_001)}${']'.repeat(10_001)}`),
      json,
      400,
      'max depth',
    ],
    ['of a million brackets', '['.repeat(1_000_000), json, 400, 'ConfigMap'],
    ['with a number beyond all floats', text(',"data":{"k":1e999999}'), json, 400, 'ConfigMap'],
    ['with an integer beyond all integers', text(`,"immutable":${'9'.repeat(10_000)}`), json, 400, 'ConfigMap'],
    ['of nothing', '', json, 400, 'ConfigMap'],
    ['of null', 'null', json, 422, 'name or generateName is required'],
    ['of zeros', Buffer.alloc(1_000), json, 400, 'invalid character'],
    ['compressed', gzipSync(text('')), { ...json, 'content-encoding': 'gzip' }, 400, "invalid character '\\x1f'"],
    ['of an unknown type', text(''), { 'content-type': 'constructor' }, 415, 'unknown format'],
    ['of YAML that refers to itself', 'a: &a [*a]', { 'content-type': 'application/yaml' }, 400, ''],
    [
      'of YAML that unfolds',
      `${Array.from({ length: 12 }, (_, n) => `a${n}: &a${n} [${n === 0 ? 'x' : `*a${n - 1},`.repeat(10)}]`).join('\n')}`,
      { 'content-type': 'application/yaml' },
      400,
      '',
    ],
    [
      'of protobuf that is none',
      Buffer.from('k8s\0\xff\xff\xff\xff\xff\xff', 'latin1'),
      { 'content-type': 'application/vnd.kubernetes.protobuf' },
      400,
      '',
    ],
    [
      'of a kind that every object has',
      '{"apiVersion":"v1","kind":"constructor","metadata":{"name":"a"}}',
      json,
      400,
      'no kind "constructor" is registered',
    ],
    [
      'of a kind named __proto__',
      '{"apiVersion":"v1","kind":"__proto__","metadata":{"name":"a"}}',
      json,
      400,
      'no kind "__proto__" is registered',
    ],
    [
      'with a prototype for an object',
      '{"apiVersion":"v1","kind":"ConfigMap","__proto__":{"metadata":{"name":"a"}}}',
      json,
      422,
      'name or generateName is required',
    ],
    [
      'with a label that cannot be one',
      '{"metadata":{"name":"a","labels":{"__proto__":"x"}}}',
      json,
      422,
      'metadata.labels',
    ],
  ])('%s is refused', async (...[, body, headers, status, message]) => {
    const response = await post(body, headers);
    expect([response.status, response.body.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it('keeps data under any name', async () => {
    const data = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}';
    const name = freshName();
    const response = await post(text(`,"data":${data}`, name));
    expect(response.status).toBe(201);
    using client = server.client();
    const read = await client.request('GET', `${configMaps}/${name}`);
    const keys = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
    expect(Object.keys(JSON.parse(read.body).data)).toEqual(keys);
    const patched = await client.request('PATCH', `${configMaps}/${name}`, '{"data":{"__proto__":"z"}}', {
      'content-type': 'application/merge-patch+json',
    });
    expect([patched.status, Object.entries(JSON.parse(patched.body).data)[0]]).toEqual([200, ['__proto__', 'z']]);
    expect(({} as { z?: string }).z).toBe(undefined);
  });

  it('with duplicate keys is taken with a warning, the last one counts', async () => {
    const response = await post(text(',"data":{"k":"1","k":"2"}'));
    expect([response.status, response.body.data, response.headers['warning']]).toEqual([
      201,
      { k: '2' },
      '299 - "duplicate field \\"data.k\\""',
    ]);
  });

  it('that is no UTF-8 is read as upstream reads it', async () => {
    const response = await post(Buffer.from(text(',"data":{"k":"a\xff\xfeb"}'), 'latin1'));
    expect([response.status, response.body.data]).toEqual([201, { k: 'a\ufffd\ufffdb' }]);
  });

  it('with a declared length above 3 MiB is refused before it arrives', async () => {
    using client = server.client();
    const headers = { ...json, 'content-length': '99999999' };
    const stream = client.session.request({ ':method': 'POST', ':path': configMaps, ...headers });
    stream.on('error', () => {}).resume();
    const head = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect(head[':status']).toBe(413);
  });

  it('that its client never finishes leaves nothing behind', async () => {
    for (let round = 0; round < 5; round++) {
      using client = server.client();
      for (let index = 0; index < 40; index++) {
        const stream = client.session.request({
          ':method': 'POST',
          ':path': configMaps,
          ...json,
          'content-length': '1000',
        });
        stream.on('error', () => {});
        stream.write('{"metadata":');
        if (index % 2 === 0) setTimeout(() => stream.close(8), 5);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});

describe('a request', () => {
  it.each<[string, string, number, string]>([
    ['GET', '/api/v1/constructor', 404, ''],
    ['GET', '/api/v1/__proto__', 404, ''],
    ['GET', '/apis/__proto__/v1/x', 404, ''],
    ['GET', '/api/v1/namespaces/default/configmaps/__proto__', 404, '__proto__\\" not found'],
    ['GET', `${configMaps}/a%00b`, 404, 'not found'],
    ['GET', `${configMaps}/a%2fb`, 404, ''],
    ['GET', `${configMaps}/..`, 400, "may not be '..'"],
    ['GET', `${configMaps}/.`, 400, "may not be '.'"],
    ['GET', `${configMaps}/%25`, 400, "may not contain '%'"],
    ['GET', `${configMaps}/%ff%fe`, 404, 'not found'],
    ['GET', '/api/v1/../../etc/passwd', 404, ''],
    ['GET', '//api//v1', 404, ''],
    ['GET', `/${'a/'.repeat(25_000)}`, 404, ''],
    ['GET', `${configMaps}?labelSelector=constructor`, 200, '"items":[]'],
    ['GET', `${configMaps}?labelSelector=toString=x`, 200, '"items":[]'],
    ['GET', `${configMaps}?labelSelector=__proto__`, 400, ''],
    ['GET', `${configMaps}?fieldSelector=constructor=x`, 400, 'is not a known field selector'],
    ['GET', `${configMaps}?fieldSelector=metadata.__proto__=x`, 400, 'is not a known field selector'],
    ['GET', `${configMaps}?limit=-1`, 200, ''],
    ['GET', `${configMaps}?limit=99999999999999999999`, 400, ''],
    ['GET', `${configMaps}?limit=x${'&a'.repeat(9_999)}`, 400, ''],
    // Go reads none of more than 10,000 parameters.
    ['GET', `${configMaps}?limit=x${'&a'.repeat(10_000)}`, 200, ''],
    ['GET', `${configMaps}?continue=x`, 400, ''],
    ['GET', `${configMaps}?resourceVersion=-1`, 400, ''],
    ['GET', `${configMaps}?timeout=x`, 400, 'invalid timeout specified'],
    ['GET', `${configMaps}?__proto__=1&constructor=2&watch=__proto__&timeoutSeconds=1`, 200, ''],
    ['GET', `${configMaps}?labelSelector=${'a,'.repeat(25_000)}a`, 200, ''],
    ['POST', `${configMaps}?dryRun=constructor`, 422, 'dryRun'],
    ['POST', `${configMaps}?fieldValidation=constructor`, 422, 'fieldValidation'],
    ['constructor', `${configMaps}/x`, 405, ''],
    ['__proto__', configMaps, 405, ''],
    ['toString', '/readyz', 200, ''],
  ])('%s %.80s', async (method, path, status, part) => {
    using client = server.client();
    const response = await client.request(method, path, method === 'POST' ? { metadata: { name: 'x' } } : undefined);
    expect([response.status, response.body]).toEqual([status, expect.stringContaining(part)]);
  });

  it.each([
    'constructor',
    '__proto__',
    ';;;,,,',
    '*/*;q=__proto__',
    'application/json;as=__proto__;v=v1;g=meta.k8s.io',
  ])('that accepts %s', async (accept) => {
    using client = server.client();
    expect((await client.request('GET', configMaps, undefined, { accept })).status).toBeLessThan(500);
  });
});
