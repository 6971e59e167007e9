import { connect, type TLSSocket } from 'node:tls';
import type { HealthyServer } from './healthy-server.ts';

/** A TLS connection as the administrator, on which a test may say whatever it wants. */
export class RawConnection implements Disposable {
  readonly socket: TLSSocket;
  /** Resolves with the milliseconds since the connection was opened. */
  readonly closed: Promise<number>;
  received = Buffer.alloc(0);

  constructor(server: HealthyServer, protocol: 'h2' | 'http/1.1') {
    const { ca, cert, key } = server.credentials;
    const opened = performance.now();
    this.socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, ALPNProtocols: [protocol] });
    this.socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve(performance.now() - opened)));
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  /** Sends bytes as they are, one per character. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) =>
      this.socket.write(bytes, typeof bytes === 'string' ? 'latin1' : undefined, () => resolve()),
    );
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
