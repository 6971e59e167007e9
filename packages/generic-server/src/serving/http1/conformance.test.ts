import { once } from 'node:events';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { http1BodyCases } from '../../testing/http1-body-cases.js';
import { outcomes } from '../../testing/http1-case.js';
import { http1ConnectionCases } from '../../testing/http1-connection-cases.js';
import { http1HeadCases } from '../../testing/http1-head-cases.js';
import { respondToHttp1Case } from '../../testing/http1-listener-fixture.js';
import { authority, listen } from '../../testing/listener-fixture.js';

describe('HTTP/1.1', () => {
  it.each([
    ['heads', http1HeadCases()],
    ['bodies', http1BodyCases()],
    ['connections', http1ConnectionCases()],
  ])('is spoken as Go speaks it, but for what is said to be different: %s', { timeout: 60_000 }, async (_, cases) => {
    const { port } = await listen(respondToHttp1Case);
    const found = await outcomes(cases, async () => {
      const options = { host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate };
      const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] });
      await once(socket, 'secureConnect');
      return socket;
    });
    expect(found).toEqual(
      Object.fromEntries(cases.map(({ name, expected, ours }) => [name, ours?.instead ?? expected])),
    );
  });
});
