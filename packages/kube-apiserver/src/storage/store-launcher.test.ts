import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { askForStore } from './store-launcher.js';

it('waits on for a server when the clock of the machine is set forward', async () => {
  let asked = 0;
  const etcd = createServer(({ socket }, response) => {
    asked++;
    if (asked < 3) socket.destroy();
    else response.writeHead(404).end();
  });
  onTestFinished(() => void etcd.close());
  await new Promise<void>((resolve) => etcd.listen(0, '127.0.0.1', resolve));
  const { port } = etcd.address() as AddressInfo;
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000 * asked);
  onTestFinished(() => void vi.restoreAllMocks());
  const servers = [`http://127.0.0.1:${port}`];
  const transport = { servers, caFile: '', certFile: '', keyFile: '' };
  expect(await askForStore(transport)).toBeUndefined();
  expect(asked).toBe(3);
});
