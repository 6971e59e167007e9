import type { Http2Server } from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { Http2ClientConnection } from '../client/http2-client-connection.js';
import type { StreamEnd } from '../client/http2-client-stream.js';
import { encodeHeaderBlock } from '../hpack/header-block.js';

/** The response to a request, and its end. */
export interface ObservedResponse {
  readonly status: string;
  readonly bytes: Buffer;
  readonly end: StreamEnd;
}

/** A connection of our client to a local server, and the events on it. */
export class ObservedClient implements Disposable {
  readonly events: string[] = [];
  readonly connection: Http2ClientConnection;

  constructor(server: Server | Http2Server) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    this.connection = new Http2ClientConnection(socket, 'connect', {
      ready: () => this.events.push('ready'),
      goingAway: () => this.events.push('goingAway'),
      closed: () => this.events.push('closed'),
    });
  }

  [Symbol.dispose](): void {
    this.connection.destroy(new Error('the test is over'));
  }

  post(path: string, body: Uint8Array = new Uint8Array(0)): Promise<ObservedResponse> {
    const block = encodeHeaderBlock([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':authority', 'localhost'],
      [':path', path],
    ]);
    return new Promise((resolve) => {
      let status = '';
      const chunks: Buffer[] = [];
      const stream = this.connection.request(block, {
        header: ({ name, value }) => {
          if (name === ':status') status = value;
        },
        data: (chunk) => chunks.push(Buffer.from(chunk)),
        closed: (end) => resolve({ status, bytes: Buffer.concat(chunks), end }),
      });
      stream.write(body, true);
    });
  }
}
