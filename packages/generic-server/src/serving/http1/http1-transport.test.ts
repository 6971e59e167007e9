import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listen, raw } from '../../testing/listener-fixture.js';

it('welcomes no body in the middle of an answer', async () => {
  const { port } = await listen(({ request }) => ({
    type: 'stream',
    status: 200,
    run: async (writer) => {
      writer.write(Buffer.from('a'));
      await sleep(20);
      await Promise.race([request.readBody(100).catch(() => {}), sleep(20)]);
      writer.write(Buffer.from('b'));
    },
  }));
  const answer = await raw(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
  expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n');
});
