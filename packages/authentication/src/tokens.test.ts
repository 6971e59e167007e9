import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { bearerTokenAuthenticator, createTokenFileAuthenticator, webSocketProtocolAuthenticator } from './index.js';
import { testAuthenticationExchange } from './testing/index.js';

const tokens: TokenAuthenticator = {
  authenticateToken: async (token) => {
    if (token === 'broken') throw new Error('no connection');
    return token === 'good' || token === 'gööd' ? { user: { name: 'alice', groups: [], extra: {} } } : undefined;
  },
};

async function outcome(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return (error as Error).message;
  }
}

describe('bearerTokenAuthenticator', () => {
  const alice = { user: { name: 'alice', groups: [], extra: {} } };
  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Basic YTpi', undefined],
    ['Whatever x y', undefined],
    ['Bearer good', alice],
    ['bEaReR good', alice],
    ['  Bearer good  ', alice],
    ['Bearer good more', alice],
    ['Bearer bad', 'invalid bearer token'],
    ['Bearer broken', 'no connection'],
  ])('Authorization: %j', async (header, expected) => {
    const { exchange } = testAuthenticationExchange(header === undefined ? {} : { headers: { Authorization: header } });
    expect(await outcome(async () => bearerTokenAuthenticator(tokens).authenticateRequest(exchange))).toEqual(expected);
  });

  it('warns of a space before the token', async () => {
    const { exchange, warnings } = testAuthenticationExchange({ headers: { authorization: 'Bearer  good' } });
    expect(await bearerTokenAuthenticator(tokens).authenticateRequest(exchange)).toBeUndefined();
    expect(warnings).toEqual([
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });
});

describe('webSocketProtocolAuthenticator', () => {
  const hidden = (token: string | Uint8Array) =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const upgrade = { Connection: 'keep-alive, Upgrade', Upgrade: 'websocket' };
  it.each<[string, Record<string, string | string[]>, unknown]>([
    ['no upgrade', { 'Sec-WebSocket-Protocol': `${hidden('good')}, v4` }, undefined],
    // A pattern that backtracks would take half an hour.
    ['very many connections', { Upgrade: 'websocket', Connection: `${'x, '.repeat(200_000)}x` }, undefined],
    ['very many blanks', { ...upgrade, 'Sec-WebSocket-Protocol': `${', '.repeat(200_000)}x` }, undefined],
    ['no token', { ...upgrade, 'Sec-WebSocket-Protocol': 'v4' }, undefined],
    ['a token', { ...upgrade, 'Sec-WebSocket-Protocol': ['v4', hidden('gööd')] }, expect.objectContaining({})],
    [
      'a token in a list',
      { ...upgrade, 'Sec-WebSocket-Protocol': `${hidden('good')},v4` },
      expect.objectContaining({}),
    ],
    ['an unknown token', { ...upgrade, 'Sec-WebSocket-Protocol': `${hidden('bad')},v4` }, 'invalid bearer token'],
    [
      'two tokens',
      { ...upgrade, 'Sec-WebSocket-Protocol': `${hidden('good')},${hidden('good')},v4` },
      'multiple base64.bearer.authorization tokens specified',
    ],
    [
      'nothing beside the token',
      { ...upgrade, 'Sec-WebSocket-Protocol': hidden('good') },
      'missing additional subprotocol',
    ],
    [
      'no base64url',
      { ...upgrade, 'Sec-WebSocket-Protocol': 'base64url.bearer.authorization.k8s.io.!,v4' },
      'invalid base64.bearer.authorization token encoding',
    ],
    [
      'no UTF-8',
      { ...upgrade, 'Sec-WebSocket-Protocol': `${hidden(Uint8Array.of(0xff))},v4` },
      'invalid base64.bearer.authorization token',
    ],
  ])('%s', async (_, headers, expected) => {
    const { exchange } = testAuthenticationExchange({ headers });
    expect(await outcome(async () => webSocketProtocolAuthenticator(tokens).authenticateRequest(exchange))).toEqual(
      expected,
    );
  });
});

describe('createTokenFileAuthenticator', () => {
  const lines: string[] = [];
  const logger: Logger = {
    info: (message) => lines.push(message),
    warning: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
    error: (_, message) => lines.push(message),
    v: () => undefined,
    named: () => logger,
  };

  it('authenticates the tokens of the file', async () => {
    const text = 't1,alice,1\r\n\n"t,2",bob,2,"dev,ops"\n,nobody,3\nt3,"qu""oted",,"g"\nt1,carol,4\n';
    const file = createTokenFileAuthenticator({ path: 'tokens.csv', text }, logger);
    const responses = await Promise.all(
      ['t1', 't,2', 't3', '', 'T1', 'bob'].map((token) => file.authenticateToken(token)),
    );
    expect(responses).toEqual([
      { user: { name: 'carol', uid: '4', groups: [], extra: {} } },
      { user: { name: 'bob', uid: '2', groups: ['dev', 'ops'], extra: {} } },
      { user: { name: 'qu"oted', groups: ['g'], extra: {} } },
      undefined,
      undefined,
      undefined,
    ]);
    expect(lines).toEqual([
      'empty token has been found in token file {"path":"tokens.csv","recordNumber":3}',
      'duplicate token has been found in token file {"path":"tokens.csv","recordNumber":5}',
    ]);
  });

  it.each([
    ['a,b\n', "token file 'f' must have at least 3 columns (token, user name, user uid), found 2"],
    ['a,b\nc"', "token file 'f' must have at least 3 columns (token, user name, user uid), found 2"],
    ['a,b"c,d\n', 'parse error on line 1, column 4: bare " in non-quoted-field'],
    ['a,b,c\n"d', 'parse error on line 2, column 3: extraneous or missing " in quoted-field'],
    [
      'a,b,c\n\nd,"e\nf"g',
      'record on line 3; parse error on line 4, column 2: extraneous or missing " in quoted-field',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => createTokenFileAuthenticator({ path: 'f', text }, logger)).toThrow(message);
  });
});
