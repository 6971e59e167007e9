import { expect, it } from 'vitest';
import { deadline } from '../harness/api-server.ts';
import { HealthyServer } from './healthy-server.ts';
import { RawConnection } from './raw-connection.ts';

const server = new HealthyServer();
const host = 'Host: localhost\r\n';

it('a head that never ends is given up after 32 s', { timeout: 60_000 }, async () => {
  const slow = Array.from({ length: 200 }, () => new RawConnection(server, 'http/1.1'));
  const silent = new RawConnection(server, 'http/1.1');
  for (const connection of slow) await connection.send(`GET /readyz HTTP/1.1\r\n${host}`);
  const dripping = setInterval(() => {
    for (const connection of slow) void connection.send('X: y\r\n');
  }, 1_000);
  using client = server.client();
  expect((await client.request('GET', '/readyz')).status).toBe(200);
  const times = await deadline(
    Promise.all([...slow, silent].map((connection) => connection.closed)),
    45_000,
    () => 'still open',
  );
  clearInterval(dripping);
  expect(Math.min(...times)).toBeGreaterThan(30_000);
  expect(Math.max(...times)).toBeLessThan(40_000);
});
