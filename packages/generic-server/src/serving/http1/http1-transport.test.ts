import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listen, raw } from '../../testing/listener-fixture.js';
import { wiredServer } from '../../testing/wired-server.js';

it('sends no 100 Continue within a response', async () => {
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
  const response = await raw(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
  expect(response.slice(response.indexOf('\r\n\r\n'))).toBe('\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n');
});

it('fails the reader of a body when its response has been sent', async () => {
  const read = Promise.withResolvers<unknown>();
  const { connect } = wiredServer(
    ({ request }) => {
      request.readBody(100).then(read.resolve, read.reject);
      return { type: 'bytes', status: 200, body: Buffer.from('a') };
    },
    () => {},
  );
  const { wire } = connect['HTTP/1.1']('client');
  wire.push('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1');
  await expect(read.promise).rejects.toMatchObject({ status: { message: 'http: invalid Read on closed Body' } });
  wire.destroy();
});
