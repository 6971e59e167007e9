import type { Http1Case } from './http1-case.js';

const host = 'Host: x\r\n';

/** A request without a body. */
export function http1Get(more = '', target = '/'): string {
  return `GET ${target} HTTP/1.1\r\n${host}${more}\r\n`;
}

const lenient = 'Node’s parser reads it, which is allowed';
const strict = 'Node’s parser refuses it, which is allowed';
const letsGo = 'Node lets go of a connection that is asked for another protocol, whether or not it gets that';
const methods = 'Node’s parser knows its methods and refuses the others';
const line = (text: string, more = host) => `${text}\r\n${more}\r\n`;

/** Heads of requests: methods, targets, versions and header fields. */
export function http1HeadCases(): readonly Http1Case[] {
  return [...methodsAndVersions(), ...targets(), ...hosts(), ...fields()];
}

function methodsAndVersions(): readonly Http1Case[] {
  return [
    { name: 'GET', said: http1Get(), expected: '200: GET / / x, open' },
    { name: 'HEAD', said: line('HEAD /head HTTP/1.1'), expected: '200, open' },
    { name: 'OPTIONS', said: line('OPTIONS / HTTP/1.1'), expected: '200: OPTIONS / / x, open' },
    {
      name: 'CONNECT',
      said: line('CONNECT other:443 HTTP/1.1'),
      expected: '200: CONNECT other:443  other:443, open',
      ours: { instead: '200 close: CONNECT other:443  other:443, closed', because: letsGo },
    },
    {
      name: 'CONNECT with a path',
      said: line('CONNECT /p HTTP/1.1'),
      expected: '200: CONNECT /p /p x, open',
      ours: { instead: '200 close: CONNECT /p /p x, closed', because: letsGo },
    },
    { name: 'a method of WebDAV', said: line('PROPFIND / HTTP/1.1'), expected: '200: PROPFIND / / x, open' },
    {
      name: 'a method that nobody knows',
      said: line('FOO / HTTP/1.1'),
      expected: '200: FOO / / x, open',
      ours: { instead: '400 close: 400 Bad Request, closed', because: methods },
    },
    {
      name: 'a method in small letters',
      said: line('get / HTTP/1.1'),
      expected: '200: get / / x, open',
      ours: { instead: '400 close: 400 Bad Request, closed', because: methods },
    },
    {
      name: 'a method that is no token',
      said: line('GE(T / HTTP/1.1'),
      expected: '400 close: 400 Bad Request, closed',
    },
    { name: 'no version', said: line('GET /'), expected: '400 close: 400 Bad Request, closed' },
    { name: 'HTTP/1.0', said: line('GET / HTTP/1.0'), expected: '200: GET / / x, closed' },
    { name: 'HTTP/1.0 without a host', said: line('GET / HTTP/1.0', ''), expected: '200: GET / /, closed' },
    {
      name: 'HTTP/1.0, to be kept',
      said: line('GET / HTTP/1.0', `${host}Connection: keep-alive\r\n`),
      expected: '200 keep-alive: GET / / x, open',
    },
    { name: 'HTTP/1.0, a response without a length', said: line('GET /stream HTTP/1.0'), expected: '200: ab, closed' },
    {
      name: 'HTTP/1.0, to be kept, a response without a length',
      said: line('GET /stream HTTP/1.0', `${host}Connection: keep-alive\r\n`),
      expected: '200: ab, closed',
    },
    {
      name: 'HTTP/1.2',
      said: line('GET / HTTP/1.2'),
      expected: '200: GET / / x, open',
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    {
      name: 'HTTP/2.0',
      said: line('GET / HTTP/2.0'),
      expected: '505 close: 505 HTTP Version Not Supported: unsupported protocol version, closed',
    },
    {
      name: 'HTTP/3.0',
      said: line('GET / HTTP/3.0'),
      expected: '505 close: 505 HTTP Version Not Supported: unsupported protocol version, closed',
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    { name: 'http in small letters', said: line('GET / http/1.1'), expected: '400 close: 400 Bad Request, closed' },
    { name: 'no HTTP', said: 'hello\r\n\r\n', expected: '400 close: 400 Bad Request, closed' },
    {
      name: 'the preface of HTTP/2',
      said: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      expected: '200 close: PRI * *, closed',
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
  ];
}

function targets(): readonly Http1Case[] {
  return [
    {
      name: 'an absolute URL',
      said: http1Get('', 'http://other/path?q=1'),
      expected: '200: GET http://other/path?q=1 /path other, open',
    },
    {
      name: 'an absolute URL with a port',
      said: http1Get('', 'https://other:8443/path?q=1'),
      expected: '200: GET https://other:8443/path?q=1 /path other:8443, open',
    },
    {
      name: 'an absolute URL with a user',
      said: http1Get('', 'http://me@other/path'),
      expected: '200: GET http://me@other/path /path other, open',
    },
    {
      name: 'an absolute URL without a path',
      said: http1Get('', 'http://other'),
      expected: '200: GET http://other  other, open',
      ours: { instead: '200: GET http://other / other, open', because: 'no path is the root' },
    },
    {
      name: 'an absolute URL of another scheme',
      said: http1Get('', 'ftp://other/path'),
      expected: '200: GET ftp://other/path /path other, open',
      ours: { instead: '400 close: 400 Bad Request, closed', because: 'it is none of ours' },
    },
    { name: 'no path', said: http1Get('', 'nothing'), expected: '400 close: 400 Bad Request, closed' },
    { name: 'a star', said: http1Get('', '*'), expected: '200: GET * * x, open' },
    { name: 'OPTIONS of the server', said: line('OPTIONS * HTTP/1.1'), expected: '200, open' },
    { name: 'slashes in a row', said: http1Get('', '//a//b'), expected: '200: GET //a//b //a//b x, open' },
    { name: 'dots', said: http1Get('', '/a/../b/./c'), expected: '200: GET /a/../b/./c /a/../b/./c x, open' },
    { name: 'a fragment', said: http1Get('', '/a#frag'), expected: '200: GET /a#frag /a#frag x, open' },
    { name: 'a broken escape', said: http1Get('', '/%zz'), expected: '400 close: 400 Bad Request, closed' },
    { name: 'a broken escape in the query', said: http1Get('', '/a?b=%zz'), expected: '200: GET /a?b=%zz /a x, open' },
    { name: 'a space', said: http1Get('', '/a b'), expected: '400 close: 400 Bad Request, closed' },
    {
      name: 'two spaces before it',
      said: line('GET  / HTTP/1.1'),
      expected: '400 close: 400 Bad Request, closed',
      ours: { instead: '200: GET / / x, open', because: lenient },
    },
    { name: 'tabs around it', said: line('GET\t/\tHTTP/1.1'), expected: '400 close: 400 Bad Request, closed' },
    {
      name: 'bytes beyond ASCII',
      said: http1Get('', '/\xe4'),
      expected: '200: GET /ä /ä x, open',
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    { name: 'a control character', said: http1Get('', '/a\x01b'), expected: '400 close: 400 Bad Request, closed' },
    {
      name: 'characters that want an escape',
      said: http1Get('', '/a"b<>|^`{}\\'),
      expected: '200: GET /a"b<>|^`{}\\ /a"b<>|^`{}\\ x, open',
    },
    {
      name: 'one beyond all limits',
      said: http1Get('', `/${'x'.repeat(1_100_000)}`),
      expected: '431 close: 431 Request Header Fields Too Large, closed',
    },
  ];
}

function hosts(): readonly Http1Case[] {
  const of = (name: string, expected: string, fields: string): Http1Case => ({
    name,
    said: line('GET / HTTP/1.1', fields),
    expected,
  });
  return [
    of('no host', '400 close: 400 Bad Request: missing required Host header, closed', ''),
    of('an empty host', '200: GET / /, open', 'Host:\r\n'),
    of('two hosts', '400 close: 400 Bad Request, closed', 'Host: a\r\nHost: b\r\n'),
    of('a host twice', '400 close: 400 Bad Request, closed', 'Host: a\r\nHost: a\r\n'),
    of('a space in the host', '400 close: 400 Bad Request: malformed Host header, closed', 'Host: a b\r\n'),
    of('a slash in the host', '400 close: 400 Bad Request: malformed Host header, closed', 'Host: a/b\r\n'),
    of('an address of IPv6', '200: GET / / [::1]:6443, open', 'Host: [::1]:6443\r\n'),
  ];
}

function fields(): readonly Http1Case[] {
  const of = (name: string, expected: string, text: string): Http1Case => ({
    name,
    said: http1Get(`${text}\r\n`),
    expected,
  });
  return [
    of('a field without a name', '400 close: 400 Bad Request, closed', ': x'),
    of('a field without a colon', '400 close: 400 Bad Request, closed', 'nocolon'),
    {
      ...of('a space in a name', '400 close: 400 Bad Request: invalid header name, closed', 'A b: x'),
      ours: {
        instead: '400 close: 400 Bad Request, closed',
        because: 'Node does not tell it from other faults of a field',
      },
    },
    {
      ...of('a space behind a name', '400 close: 400 Bad Request: invalid header name, closed', 'Ab : x'),
      ours: {
        instead: '400 close: 400 Bad Request, closed',
        because: 'Node does not tell it from other faults of a field',
      },
    },
    of('bytes beyond ASCII in a name', '400 close: 400 Bad Request, closed', '\xc4: x'),
    {
      ...of('a folded field', '200: GET / / x, open', 'X: a\r\n b'),
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    of('a control character in a value', '400 close: 400 Bad Request, closed', 'X: a\x01b'),
    of('a zero in a value', '400 close: 400 Bad Request, closed', 'X: a\x00b'),
    of('a tab in a value', '200: GET / / x, open', 'X: a\tb'),
    of('an empty value', '200: GET / / x, open', 'X:'),
    of('thousands of fields', '200: GET / / x, open', `${'a: b\r\n'.repeat(3_000)}c: d`),
    of('a head of 1 MiB and a bit', '200: GET / / x, open', `X: ${'x'.repeat(2 ** 20)}`),
    of(
      'a head beyond all limits',
      '431 close: 431 Request Header Fields Too Large, closed',
      `X: ${'x'.repeat(1_100_000)}`,
    ),
    {
      name: 'a fold before all fields',
      said: line('GET / HTTP/1.1', ` X: y\r\n${host}`),
      expected: '400 close: 400 Bad Request, closed',
    },
    {
      name: 'a bare carriage return',
      said: 'GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n',
      expected: '400 close: 400 Bad Request, closed',
    },
    {
      name: 'lines that end with line feeds',
      said: 'GET / HTTP/1.1\nHost: x\n\n',
      expected: '200: GET / / x, open',
      ours: { instead: '400 close: 400 Bad Request, closed', because: strict },
    },
    {
      name: 'an empty line before it',
      said: `\r\n${http1Get()}`,
      expected: '400 close: 400 Bad Request, closed',
      ours: { instead: '200: GET / / x, open', because: lenient },
    },
  ];
}
