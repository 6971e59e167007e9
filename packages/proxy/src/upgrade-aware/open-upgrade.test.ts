import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { BackendTransport } from '../backend/backend.js';
import { openUpgrade } from './open-upgrade.js';

const transport: BackendTransport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };

it('sends the name of a user in one line of UTF-8, whatever it has', async () => {
  let head = '';
  const backend = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text: string) => {
      head += text;
      if (head.endsWith('\r\n\r\n')) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const port = String((backend.address() as AddressInfo).port);
  const location = { scheme: 'http', hostname: '127.0.0.1', port, path: '/x', rawQuery: '' } as const;
  const headers = {
    Connection: 'Upgrade',
    'X-Remote-User': 'Zoë ☃\r\nX-Remote-Group: system:masters\n',
    'X-Remote-Group': ['a\rb', 'c'],
  };
  const { socket } = await openUpgrade(
    location,
    transport,
    { method: 'GET', host: 'h', headers },
    new AbortController().signal,
  );
  socket.destroy();
  backend.close();
  expect(head.split('\r\n')).toEqual([
    'GET /x HTTP/1.1',
    'Host: h',
    'Connection: Upgrade',
    'X-Remote-User: Zoë ☃  X-Remote-Group: system:masters',
    'X-Remote-Group: a b',
    'X-Remote-Group: c',
    '',
    '',
  ]);
});
