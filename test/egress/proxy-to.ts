import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';

/** A proxy that connects to one port of this machine, whatever it is asked for. It refuses the host `hooks.example`. */
export async function proxyTo(port: number) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer().on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  server.on('connect', ({ url }, client) => {
    asked.push(String(url));
    if (url?.startsWith('hooks.example')) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const backend = connect(port, '127.0.0.1').on('error', () => client.destroy());
    sockets.add(backend);
    backend.once('connect', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(backend).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const dispose = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { asked, url: `http://127.0.0.1:${own}`, [Symbol.dispose]: dispose };
}

/** Writes an egress configuration that reaches these networks through a proxy. */
export function egressFile(folder: string, proxy: { readonly url: string }, networks: readonly string[]): string {
  const transport = `{tcp: {url: "${proxy.url}"}}`;
  const selections = networks.map(
    (name) => `- {name: ${name}, connection: {proxyProtocol: HTTPConnect, transport: ${transport}}}\n`,
  );
  const head = 'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n';
  const file = join(folder, 'egress.yaml');
  writeFileSync(file, `${head}${selections.join('')}`);
  return file;
}
