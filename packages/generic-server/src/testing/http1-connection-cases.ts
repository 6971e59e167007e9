import type { Http1Case } from './http1-case.js';
import { http1Get } from './http1-head-cases.js';

const first = http1Get('', '/1');
const second = http1Get('', '/2');
const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const letsGo = 'Node lets go of a connection that is asked for another protocol, whether or not it gets that';

/** Connections: several requests, an announced end, a change of protocol. */
export function http1ConnectionCases(): readonly Http1Case[] {
  return [
    {
      name: 'requests in a row',
      said: first + second + http1Get('', '/3'),
      expected: '200: GET /1 /1 x, 200: GET /2 /2 x, 200: GET /3 /3 x, open',
    },
    {
      name: 'a request behind one with a long response',
      said: http1Get('', '/stream') + second,
      expected: '200 chunked: ab, 200: GET /2 /2 x, open',
    },
    {
      name: 'requests of a client that says no more',
      said: [first + second, null],
      expected: '200: GET /1 /1 x, 200: GET /2 /2 x, closed',
    },
    {
      name: 'a request that is none behind another',
      said: `${first}bad\r\n\r\n`,
      expected: '200: GET /1 /1 x, 400 close: 400 Bad Request, closed',
    },
    { name: 'the last one', said: http1Get('Connection: close\r\n'), expected: '200 close: GET / / x, closed' },
    {
      name: 'the last one, said among other things',
      said: http1Get('Connection: x, Close\r\n'),
      expected: '200 close: GET / / x, closed',
    },
    {
      name: 'one behind the last',
      said: http1Get('Connection: close\r\n', '/1') + second,
      expected: '200 close: GET /1 /1 x, closed',
    },
    {
      name: 'another protocol',
      said: http1Get(upgrade),
      expected: '200: GET / / x, open',
      ours: { instead: '200 close: GET / / x, closed', because: letsGo },
    },
    {
      name: 'another protocol, and a request',
      said: http1Get(upgrade) + second,
      expected: '200: GET / / x, 200: GET /2 /2 x, open',
      ours: { instead: '200 close: GET / / x, closed', because: letsGo },
    },
    {
      name: 'another protocol behind a long response',
      said: http1Get('', '/stream') + http1Get(upgrade, '/2'),
      expected: '200 chunked: ab, 200: GET /2 /2 x, open',
      ours: { instead: '200 chunked: ab, 200 close: GET /2 /2 x, closed', because: letsGo },
    },
    {
      name: 'another protocol behind a response that is there at once',
      said: `OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n${http1Get(upgrade, '/2')}`,
      expected: '200, 200: GET /2 /2 x, open',
      ours: { instead: '200, 200 close: GET /2 /2 x, closed', because: letsGo },
    },
    {
      name: 'another protocol without a connection',
      said: http1Get('Upgrade: websocket\r\n'),
      expected: '200: GET / / x, open',
    },
    {
      name: 'a connection without another protocol',
      said: http1Get('Connection: Upgrade\r\n'),
      expected: '200: GET / / x, open',
    },
    {
      name: 'half a head',
      said: ['GET / HTTP/1.1\r\nHost: x\r\n', null],
      expected: '400 close: 400 Bad Request, closed',
    },
    { name: 'nothing', said: [null], expected: 'closed' },
  ];
}
