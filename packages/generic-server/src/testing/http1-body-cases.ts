import type { Http1Case } from './http1-case.js';
import { http1Get } from './http1-head-cases.js';

const post = (fields: string, body = '', path = '/read') => `POST ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const inChunks = '2\r\nab\r\n0\r\n\r\n';
const next = http1Get('', '/next');
const lenient = 'Node’s parser reads it, which is allowed';
const faults = 'Node’s parser does not tell it from other faults';
const strict = 'Node’s parser refuses it, which is allowed';

/** Bodies: lengths, chunks, contradictions, and unread ones. */
export function http1BodyCases(): readonly Http1Case[] {
  return [...lengths(), ...encodings(), ...chunks(), ...unread(), ...expectations()];
}

function lengths(): readonly Http1Case[] {
  const of = (name: string, expected: string, length: string, body = 'ab'): Http1Case => ({
    name,
    said: post(`Content-Length:${length}\r\n`, body),
    expected,
  });
  return [
    of('a length', '200: read ab, open', ' 2'),
    of('a length with spaces around it', '200: read ab, open', '  2 '),
    of('a length with zeros before it', '200: read ab, open', ' 0002'),
    of('a length below 0', '400 close: 400 Bad Request, closed', ' -1'),
    of('a length with a sign', '400 close: 400 Bad Request, closed', ' +2'),
    of('a hexadecimal length', '400 close: 400 Bad Request, closed', ' 0x2'),
    of('two numbers', '400 close: 400 Bad Request, closed', ' 2 3'),
    of('two lengths in one', '400 close: 400 Bad Request, closed', ' 2, 2'),
    of('no number', '400 close: 400 Bad Request, closed', '', ''),
    of('a length beyond all integers', '400 close: 400 Bad Request, closed', ` ${'9'.repeat(30)}`),
    of('two lengths', '400 close: 400 Bad Request, closed', ' 2\r\nContent-Length: 3'),
    {
      ...of('a length twice', '200: read ab, open', ' 2\r\nContent-Length: 2'),
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    { name: 'no length', said: post(''), expected: '200: read, open' },
    {
      name: 'fewer bytes than announced',
      said: [post('Content-Length: 5\r\n', 'ab'), null],
      expected: '500: unexpected EOF, closed',
      ours: {
        instead: '500 close: unexpected EOF, closed',
        because: 'nothing can follow; Go says so with chunks only',
      },
    },
  ];
}

function encodings(): readonly Http1Case[] {
  const of = (name: string, expected: string, fields: string, body = inChunks): Http1Case => ({
    name,
    said: post(fields, body) + next,
    expected,
  });
  return [
    of('chunks', '200: read ab, 200: GET /next /next x, open', chunked),
    of('chunks in capitals', '200: read ab, 200: GET /next /next x, open', 'Transfer-Encoding: CHUNKED\r\n'),
    {
      ...of('chunks behind a length', '200: read ab, 200: GET /next /next x, open', `Content-Length: 3\r\n${chunked}`),
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    {
      ...of('chunks before a length', '200: read ab, 200: GET /next /next x, open', `${chunked}Content-Length: 3\r\n`),
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    of('chunks, and a length that is none', '400 close: 400 Bad Request, closed', `${chunked}Content-Length: x\r\n`),
    of('chunks twice', '501 close: Unsupported transfer encoding, closed', chunked + chunked),
    of(
      'an encoding that nobody reads',
      '501 close: Unsupported transfer encoding, closed',
      'Transfer-Encoding: gzip\r\n',
      '',
    ),
    of(
      'an encoding that nobody reads, in chunks',
      '501 close: Unsupported transfer encoding, closed',
      'Transfer-Encoding: gzip, chunked\r\n',
    ),
    of(
      'chunks in another encoding',
      '501 close: Unsupported transfer encoding, closed',
      'Transfer-Encoding: chunked, identity\r\n',
    ),
    of('no encoding', '501 close: Unsupported transfer encoding, closed', 'Transfer-Encoding:\r\n', ''),
    of('nearly chunks', '501 close: Unsupported transfer encoding, closed', 'Transfer-Encoding: xchunked\r\n', ''),
    of('chunks behind a control character', '400 close: 400 Bad Request, closed', 'Transfer-Encoding: \x0bchunked\r\n'),
    {
      name: 'chunks on HTTP/1.0',
      said: `POST /read HTTP/1.0\r\nHost: x\r\n${chunked}\r\n${inChunks}`,
      expected: '200: read, closed',
      ours: { instead: '200: read ab, closed', because: lenient },
    },
  ];
}

function chunks(): readonly Http1Case[] {
  const of = (name: string, expected: string, body: string, path?: string): Http1Case => ({
    name,
    said: post(chunked, body, path),
    expected,
  });
  return [
    of('trailers', '200: read ab, open', '2\r\nab\r\n0\r\nX: y\r\n\r\n'),
    {
      ...of(
        'trailers that are none',
        '500 close: malformed MIME header: missing colon: "X y", closed',
        '2\r\nab\r\n0\r\nX y\r\n\r\n',
      ),
      ours: { instead: '500 close: malformed chunked encoding, closed', because: faults },
    },
    of('extensions', '200: read ab, open', '2;a=b\r\nab\r\n0;c\r\n\r\n'),
    of('a size that is none', '500 close: invalid byte in chunk length, closed', 'ZZ\r\n'),
    of('a size that is none, and nobody reads it', '200 close: POST / / x, closed', 'ZZ\r\n', '/'),
    of('a size below 0', '500 close: invalid byte in chunk length, closed', '-1\r\n'),
    {
      ...of('a size beyond all integers', '500 close: http chunk length too large, closed', 'ffffffffffffffffff\r\n'),
      ours: { instead: '500 close: invalid byte in chunk length, closed', because: faults },
    },
    of('a size with a prefix', '500 close: invalid byte in chunk length, closed', '0x2\r\nab\r\n0\r\n\r\n'),
    {
      ...of('a space behind a size', '200: read ab, open', '2 \r\nab\r\n0\r\n\r\n'),
      ours: { instead: '500 close: invalid byte in chunk length, closed', because: strict },
    },
    of('a chunk that is longer than it says', '500 close: malformed chunked encoding, closed', '1\r\nabc\r\n0\r\n\r\n'),
    {
      ...of(
        'chunks whose lines end with line feeds',
        '500 close: chunked line ends with bare LF, closed',
        '2\nab\n0\n\n',
      ),
      ours: { instead: '500 close: malformed chunked encoding, closed', because: faults },
    },
    { name: 'half a chunk', said: [post(chunked, '5\r\nab'), null], expected: '500 close: unexpected EOF, closed' },
  ];
}

function unread(): readonly Http1Case[] {
  const of = (name: string, expected: string, size: number, sent = size): Http1Case => ({
    name,
    said: post(`Content-Length: ${size}\r\n`, 'x'.repeat(sent), '/') + (sent === size ? next : ''),
    expected,
  });
  return [
    of('a body that nobody reads', '200: POST / / x, 200: GET /next /next x, open', 2),
    of('a body that nobody reads, of less than 256 KiB', '200: POST / / x, 200: GET /next /next x, open', 200_000),
    of('a body that nobody reads, of more than 256 KiB', '200 close: POST / / x, closed', 300_000),
    of('a body that nobody reads and that is still to come', '200 close: POST / / x, closed', 400_000, 300_000),
    {
      name: 'a body of GET',
      said: `${http1Get('Content-Length: 2\r\n')}ab${next}`,
      expected: '200: GET / / x, 200: GET /next /next x, open',
    },
    {
      name: 'a body that comes behind the response',
      said: [post('Content-Length: 2\r\n', '', '/'), `ab${next}`],
      expected: '200: POST / / x, 200: GET /next /next x, open',
    },
    {
      name: 'chunks that nobody reads',
      said: post(chunked, inChunks, '/') + next,
      expected: '200: POST / / x, 200: GET /next /next x, open',
    },
    {
      name: 'chunks that nobody reads, of far more than 256 KiB',
      said: post(chunked, `4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(40), '/'),
      expected: '200 close: POST / / x, closed',
      ours: { instead: '200: POST / / x, closed', because: 'the response leaves before it is known how much comes' },
    },
  ];
}

function expectations(): readonly Http1Case[] {
  const fields = 'Expect: 100-continue\r\nContent-Length: 2\r\n';
  return [
    { name: 'a client that waits for 100 Continue', said: [post(fields), 'ab'], expected: '100, 200: read ab, open' },
    {
      name: 'a client that does not wait for 100 Continue',
      said: post(fields, 'ab'),
      expected: '100, 200: read ab, open',
    },
    {
      name: 'a client that waits in vain',
      said: post(fields, '', '/'),
      expected: '200 close: POST / / x, open',
      ours: { instead: '200 close: POST / / x, closed', because: 'nobody reads what may still come' },
    },
    {
      name: 'capitals in what is expected',
      said: [post(fields.replace('c', 'C')), 'ab'],
      expected: '100, 200: read ab, open',
    },
    {
      name: '100 Continue for an empty body',
      said: http1Get('Expect: 100-continue\r\n'),
      expected: '200: GET / / x, open',
      ours: { instead: '200: GET / / x, closed', because: 'Node takes it for a wish that was not granted' },
    },
    {
      name: 'an expectation that nobody knows',
      said: post('Expect: magic\r\nContent-Length: 2\r\n', 'ab'),
      expected: '417 close, closed',
    },
    {
      name: 'an expectation on HTTP/1.0',
      said: `POST /read HTTP/1.0\r\nHost: x\r\n${fields}\r\nab`,
      expected: '200: read ab, closed',
    },
  ];
}
