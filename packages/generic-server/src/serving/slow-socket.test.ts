import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { SocketProgress } from '@apiserver/http2';
import { expect, it } from 'vitest';
import { authority, serving } from '../testing/listener-fixture.js';

const MIB = 1024 * 1024;

it('reports progress of a client during a write', async () => {
  const server = createServer({ cert: serving.certificate, key: serving.key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.certificate });
  try {
    const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
    socket.on('error', () => {});
    client.on('error', () => {}).pause();
    const progress = new SocketProgress(socket);
    progress.restart(1);
    let isDone = false;
    socket.write(Buffer.alloc(64 * MIB), () => {
      isDone = true;
    });
    progress.stuckSince(2);
    let taken = 0;
    await new Promise<void>((resolve) => {
      client.on('data', (chunk: Buffer) => {
        taken += chunk.length;
        if (taken < 32 * MIB) return;
        client.pause();
        resolve();
      });
      client.resume();
    });
    expect([progress.stuckSince(3), isDone]).toEqual([3, false]);
  } finally {
    client.destroy();
    server.close();
  }
});
