import { Buffer } from 'node:buffer';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { Handler } from '@apiserver/apiserver-contracts';
import { expect } from 'vitest';
import { alice, between } from './listener-fixture.js';
import { bytes, echo } from './test-responses.js';
import { connectOver } from './transport-client.js';
import type { TransportTests } from './transport-tests.js';

const expected = {
  method: 'POST',
  url: '/a%20b/%C3%BC?x=1&y=%zz&z=a%2Bb',
  path: '/a b/ü',
  rawQuery: 'x=1&y=%zz&z=a%2Bb',
  query: [
    ['x', '1'],
    ['z', 'a+b'],
  ],
  groups: ['one, two', 'three'],
  accept: 'text/plain',
  user: 'Grüße',
  names: [],
  remote: '127.0.0.1',
  port: expect.any(Number),
  secure: true,
  certificates: 2,
  body: 'hello',
};

/** Reads at most 1,000 bytes. */
const limited: Handler = ({ request }) =>
  request.readBody(1000).then(
    () => bytes(200, 'read'),
    (error) => bytes(isStatusError(error) ? (error.status.code ?? 0) : 500, String(error.message)),
  );

/** Requests are the same values on every transport. */
export function requestTests({ protocol, test, serve }: TransportTests): void {
  test('is the same value, its client certificates included', async () => {
    const { fetch } = await serve(echo);
    // Node's clients send a byte for a character.
    const user = Buffer.from(expected.user).toString('latin1');
    const response = await fetch({
      method: 'POST',
      path: expected.url,
      headers: { 'impersonate-group': ['one, two', 'three'], accept: 'text/plain', 'impersonate-user': user },
      credentials: { cert: alice.certificate + between.certificate, key: alice.key },
      body: 'hello',
    });
    expect(JSON.parse(response.body)).toEqual({ ...expected, version: protocol === 'h2' ? '2.0' : '1.1' });
    const length = String(Buffer.byteLength(response.body));
    expect(response.headers).toMatchObject({ 'content-length': length, date: expect.any(String) });
  });

  test('needs no certificate', async () => {
    const { fetch } = await serve(echo);
    expect(JSON.parse((await fetch()).body).certificates).toBeUndefined();
  });

  test('is refused with 413 when its body is too large', async () => {
    const { fetch } = await serve(limited);
    const large = 'x'.repeat(500_000);
    const refused = { status: 413, body: 'Request entity too large: limit is 1000' };
    expect(await fetch({ method: 'POST', body: large })).toMatchObject(refused);
    expect(await fetch({ method: 'POST', body: large, headers: { 'content-length': '500000' } })).toMatchObject(
      refused,
    );
    expect(await fetch({ method: 'POST', body: 'small' })).toMatchObject({ status: 200, body: 'read' });
  });

  test('may have a large body, in many parts', async () => {
    const { fetch } = await serve(async ({ request }) => {
      let size = 0;
      for await (const chunk of request.bodyStream() ?? []) size += chunk.length;
      return bytes(200, String(size));
    });
    expect(await fetch({ method: 'POST', body: 'x'.repeat(3_000_000) })).toMatchObject({ body: '3000000' });
  });

  test('has up to 4,000 header fields', async () => {
    const { fetch } = await serve(() => bytes(200, 'ok'));
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'y']));
    expect(await fetch({ headers: fields(3_900) })).toMatchObject({ status: 200 });
    expect(await fetch({ headers: fields(4_001) })).toMatchObject({ status: 431 });
  });

  test('may be one of hundreds at once, each with its body', async () => {
    const { fetch } = await serve(echo);
    const bodies = Array.from({ length: 200 }, (_, index) => `body ${index}`);
    const responses = await Promise.all(bodies.map((body) => fetch({ method: 'POST', body })));
    expect(responses.map(({ body }) => JSON.parse(body).body)).toEqual(bodies);
  });

  test('of CONNECT reaches the handler, which decides', async () => {
    const { port } = await serve(({ request }) => bytes(405, `${request.method} ${request.path}`));
    expect(await connectOver(protocol, port)).toBe(405);
  });
}
