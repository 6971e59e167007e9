import { Agent, request as httpsRequest } from 'node:https';
import type { Credentials } from '../harness/admin-client.ts';
import type { Attacker, HostileRequest, HostileResponse } from './hostile-case.ts';

/** Bytes of a response that are kept for messages. */
const SHOWN = 300;

/** Sends requests over HTTP/1.1, where a path may be as long as a head. */
export class HttpsAttacker implements Attacker, Disposable {
  readonly target: Attacker['target'];
  readonly administrator: Attacker['administrator'];
  readonly #administrator: Agent;
  readonly #anonymous: Agent;

  constructor(port: number, { ca, cert, key }: Credentials) {
    this.target = { host: '127.0.0.1', port, ca };
    this.administrator = { ...this.target, cert, key };
    this.#administrator = new Agent({ ca, cert, key, keepAlive: true });
    this.#anonymous = new Agent({ ca, keepAlive: true });
  }

  send({ method, path, headers, body }: HostileRequest, who?: 'anonymous'): Promise<HostileResponse> {
    const agent = who === 'anonymous' ? this.#anonymous : this.#administrator;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = { ...this.target, method, path, agent, headers: { ...headers, ...length } };
      const sent = httpsRequest(options, (response) => {
        let bytes = 0;
        let start = '';
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (start.length < SHOWN) start += chunk.toString('latin1', 0, SHOWN);
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, start: start.slice(0, SHOWN) }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#administrator.destroy();
    this.#anonymous.destroy();
  }
}
