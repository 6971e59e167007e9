import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameFlag, FrameType, Http2Code } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import { encodeHeaderBlock } from '../hpack/header-block.js';
import { joinedHeaders } from './joined-headers.js';
import { RequestHeadBuilder } from './request-head.js';

type Fields = readonly (readonly [name: string, value: string])[];

const get: Fields = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'localhost:6443'],
  [':path', '/api?limit=1'],
];
const without = (name: string): Fields => get.filter(([field]) => field !== name);
const replaced = (name: string, value: string): Fields =>
  get.map(([field, old]) => [field, field === name ? value : old]);

function build(fields: Fields, endStream = true, builder = new RequestHeadBuilder()) {
  for (const [name, value] of fields) builder.field(name, value);
  return builder.finish(endStream);
}

describe('RequestHeadBuilder', () => {
  it('makes a head of the fields', () => {
    const head = build([...get, ['accept', 'a'], ['accept', 'b'], ['content-length', '17'], ['te', 'trailers']], false);
    expect({ ...head, headers: { ...head.headers } }).toEqual({
      method: 'GET',
      path: '/api?limit=1',
      authority: 'localhost:6443',
      scheme: 'https',
      rawHeaders: ['accept', 'a', 'accept', 'b', 'content-length', '17', 'te', 'trailers'],
      contentLength: 17,
      refusal: undefined,
      size: 103,
      headers: { accept: 'a, b', 'content-length': '17', te: 'trailers' },
    });
  });

  it.each<[string, Fields]>([
    ['no method', without(':method')],
    ['an empty method', replaced(':method', '')],
    ['no path', without(':path')],
    ['an empty path', replaced(':path', '')],
    ['no scheme', without(':scheme')],
    ['another scheme', replaced(':scheme', 'ftp')],
    ['an upper-case scheme', replaced(':scheme', 'HTTPS')],
    ['a user in its authority', replaced(':authority', 'me@localhost')],
    ['a user in its host', [...without(':authority'), ['host', 'me@localhost']]],
    ['two methods', [[':method', 'GET'], ...get]],
    ['an empty path and another one', [[':path', ''], ...get]],
    ['two schemes', [...get, [':scheme', 'https']]],
    ['two authorities', [...get, [':authority', 'localhost:6443']]],
    ['an unknown pseudo-header', [...get, [':made-up', 'x']]],
    ['a pseudo-header without a name', [...get, [':', 'x']]],
    ['a response’s pseudo-header', [...get, [':status', '200']]],
    ['the protocol of an extended CONNECT', [...replaced(':method', 'CONNECT'), [':protocol', 'websocket']]],
    ['a pseudo-header after a header', [['x-a', 'b'], ...get]],
    ['upper case in a name', [...get, ['X-Upper', 'b']]],
    ['an empty name', [...get, ['', 'b']]],
    ['a space in a name', [...get, ['x a', 'b']]],
    ['a colon in a name', [...get, ['x:a', 'b']]],
    ['a line break in a name', [...get, ['x\r\ny', 'b']]],
    ['a non-ASCII letter in a name', [...get, ['\xe4', 'b']]],
    ['a line break in a value', [...get, ['x', 'a\r\nb: c']]],
    ['a NUL in a value', [...get, ['x', 'a\0']]],
    ['a DEL in a value', [...get, ['x', '\x7f']]],
    ['a control character in its path', replaced(':path', '/a\x01')],
    ['a control character late in a value', [...get, ['x', `${'a'.repeat(200)}\n`]]],
    ['a length that is not numeric', [...get, ['content-length', 'x']]],
    ['a negative length', [...get, ['content-length', '-1']]],
    ['an empty length', [...get, ['content-length', '']]],
    ['a length with a letter among digits', [...get, ['content-length', '12a4']]],
    ['a long length that is not numeric', [...get, ['content-length', '1'.repeat(16).concat('x')]]],
    ['a length in hexadecimal', [...get, ['content-length', '0x10']]],
    ['a length beyond all limits', [...get, ['content-length', '9'.repeat(20)]]],
    ['two lengths', [...get, ['content-length', '1'], ['content-length', '2']]],
    ['CONNECT with a path', replaced(':method', 'CONNECT')],
    ['CONNECT without an authority', [[':method', 'CONNECT']]],
  ])('refuses %s, and accepts the next', (_, fields) => {
    const builder = new RequestHeadBuilder();
    expect(() => build(fields, false, builder)).toThrow(
      expect.objectContaining({ name: 'Http2StreamError', http2Code: Http2Code.protocolError }),
    );
    expect(build(get, true, builder)).toEqual(build(get));
  });

  it('decodes bytes beyond ASCII as UTF-8', () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    const head = build([...replaced(':path', bytes('/ü')), ['impersonate-user', bytes('Grüße')], ['x', '\xff']]);
    expect([head.path, head.rawHeaders]).toEqual(['/ü', ['impersonate-user', 'Grüße', 'x', '\ufffd']]);
  });

  it('refuses a length without a body', () => {
    const fields: Fields = [...get, ['content-length', '5']];
    expect(() => build(fields, true)).toThrow('body is missing');
    expect(build([...get, ['content-length', '0']], true).contentLength).toBe(0);
    expect(build(fields, false).contentLength).toBe(5);
  });

  it.each<[string, Fields]>([
    [
      'CONNECT',
      [
        [':method', 'CONNECT'],
        [':authority', 'localhost:443'],
      ],
    ],
    ['a host instead of an authority', [...without(':authority'), ['host', 'localhost:443']]],
    ['a path without a leading slash', replaced(':path', '*')],
    ['a path with a space', replaced(':path', '/a b')],
    ['every character of a token', [...get, ["!#$%&'*+-.^_`|~09az", 'x']]],
    ['tabs and spaces in a value', [...get, ['x', ' a\t ']]],
    ['the same length twice', [...get, ['content-length', '0'], ['content-length', '0']]],
    ['an unknown method', replaced(':method', 'constructor')],
    ['an empty TE', [...get, ['te', '']]],
  ])('accepts %s', (_, fields) => {
    const { rawHeaders, refusal } = build(fields);
    expect([rawHeaders, refusal]).toEqual([fields.filter(([name]) => !name.startsWith(':')).flat(), undefined]);
  });

  it.each<[string, Fields]>([
    ['request header "Connection" is not valid in HTTP/2', [['connection', 'keep-alive']]],
    ['request header "Keep-Alive" is not valid in HTTP/2', [['keep-alive', '5']]],
    ['request header "Proxy-Connection" is not valid in HTTP/2', [['proxy-connection', 'x']]],
    ['request header "Transfer-Encoding" is not valid in HTTP/2', [['transfer-encoding', 'chunked']]],
    ['request header "Upgrade" is not valid in HTTP/2', [['upgrade', 'websocket']]],
    [
      'request header "Connection" is not valid in HTTP/2',
      [
        ['upgrade', 'x'],
        ['te', 'x'],
        ['connection', 'upgrade'],
      ],
    ],
    ['request header "TE" may only be "trailers" in HTTP/2', [['te', 'gzip']]],
    [
      'request header "TE" may only be "trailers" in HTTP/2',
      [
        ['te', 'trailers'],
        ['te', 'trailers'],
      ],
    ],
  ])('responds 400 with %s', (refusal, fields) => {
    expect(build([...get, ...fields]).refusal).toBe(refusal);
  });

  it('accepts trailers, and refuses malformed ones', () => {
    const builder = new RequestHeadBuilder();
    const trailers = (fields: Fields) => {
      for (const [name, value] of fields) builder.field(name, value);
      return builder.finishTrailers();
    };
    expect(
      trailers([
        ['x-sum', '1'],
        ['x-sum', '2'],
      ]),
    ).toEqual(['x-sum', '1', 'x-sum', '2']);
    expect(() => trailers([[':path', '/']])).toThrow('pseudo-header');
    expect(() => trailers([['X', '1']])).toThrow('name');
    expect(() => trailers([['x', '\n']])).toThrow('value');
    expect(trailers([])).toEqual([]);
    expect(build(get, true, builder)).toEqual(build(get));
  });

  it('recognises long values, and validates each new one', () => {
    const builder = new RequestHeadBuilder();
    const tokens = Array.from({ length: 9 }, (_, index) => `Bearer ${'a'.repeat(100)}${index}`);
    for (const token of [...tokens, ...tokens]) {
      expect(build([...get, ['authorization', token]], true, builder).headers['authorization']).toBe(token);
      expect(() => build([...get, ['authorization', `${token.slice(1)}\n`]], true, builder)).toThrow('value');
    }
  });
});

describe('joinedHeaders', () => {
  it('accepts as many cookies as a head can have, each at the same cost', () => {
    // A copy of all cookies for each one would take minutes.
    const cookies = Array.from({ length: 500_000 }, (_, index) => `c=${index}`);
    const joined = joinedHeaders(cookies.flatMap((cookie) => ['set-cookie', cookie]));
    expect(joined['set-cookie']).toEqual(cookies);
  });

  const names = [
    'accept',
    'cookie',
    'set-cookie',
    'authorization',
    'content-type',
    'impersonate-group',
    'user-agent',
    'x',
  ];
  const raw = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom('a', 'b', 'c, d', '1')), { maxLength: 12 });

  it('joins as Node does', async () => {
    const server = createServer();
    const seen: IncomingHttpHeaders[] = [];
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      seen.push(headers);
      stream.respond({ ':status': 200 }, { endStream: true });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const samples = fc.sample(raw, 100);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const writer = new FrameWriter();
      writer.raw(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
      writer.frame(FrameType.settings, 0, 0, new Uint8Array());
      for (const [index, fields] of samples.entries()) {
        const flags = FrameFlag.endHeaders | FrameFlag.endStream;
        writer.frame(FrameType.headers, flags, 2 * index + 1, encodeHeaderBlock([...get, ...fields]));
      }
      for (const bytes of writer.take()) socket.write(bytes);
      await expect.poll(() => seen.length).toBe(samples.length);
    } finally {
      socket.destroy();
      server.close();
    }
    const theirs = seen.map((headers) => Object.entries(headers).filter(([name]) => !name.startsWith(':')));
    expect(samples.map((fields) => Object.entries(joinedHeaders(fields.flat())))).toEqual(theirs);
  });
});
