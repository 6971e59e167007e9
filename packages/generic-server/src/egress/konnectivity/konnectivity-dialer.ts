import { randomBytes } from 'node:crypto';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { BackendDialer } from '@apiserver/rest-client';
import { ProxyRefusalError } from '../proxy-refusal-error.js';
import { connectToServer } from './connect-to-server.js';
import type { DialFailureReason, KonnectivityMetrics, TunnelStatus } from './konnectivity-metrics.js';
import type { Packet } from './packet.js';
import { PacketStream } from './packet-stream.js';
import { TunnelSocket } from './tunnel-socket.js';

/** Milliseconds until an agent has connected. Upstream: dialContext of konnectivity-client/pkg/client */
const DIAL_TIMEOUT_MS = 30_000;

/** Dependencies of tunnels. */
export interface TunnelOptions {
  readonly clock: Clock;
  readonly metrics: KonnectivityMetrics;
}

/**
 * Connects through a konnectivity server on a unix socket, and one of its agents. Each connection has a tunnel of its
 * own. Rejects with a ProxyRefusalError in upstream's words if the server was reached.
 * Upstream: CreateSingleUseGrpcTunnel and DialContext of konnectivity-client/pkg/client
 */
export function konnectivityDialer(path: string, options: TunnelOptions): BackendDialer {
  return async ({ hostname, port }, signal) => {
    const session = await connectToServer(path, { clock: options.clock, signal });
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    return await new Tunnel(session, options).dial(`${host}:${port}`, signal);
  };
}

/** A tunnel for one connection. */
class Tunnel {
  readonly #packets: PacketStream;
  readonly #options: TunnelOptions;
  readonly #dialled = Promise.withResolvers<Duplex>();
  readonly #random = randomBytes(8).readBigUInt64BE() >> 1n;
  #status: TunnelStatus | undefined;
  #socket: TunnelSocket | undefined;
  /** Set with the socket. */
  #connectId = 0n;

  constructor(session: ClientHttp2Session, options: TunnelOptions) {
    this.#options = options;
    this.#packets = new PacketStream(session, options.metrics, {
      packet: (packet) => this.#receive(packet),
      ended: () => this.#end('tunnel closed', 'tunnelclosed'),
    });
    this.#moveTo('created');
  }

  /** Call it once. */
  async dial(address: string, signal: AbortSignal | undefined): Promise<Duplex> {
    this.#moveTo('dialing');
    const random = this.#random;
    const giveUp = (message: string, reason: DialFailureReason) => {
      this.#packets.send('DIAL_CLS', { random });
      this.#end(message, reason);
    };
    const abort = () => giveUp('dial timeout, context', 'context');
    const cancel = this.#options.clock.schedule(() => giveUp('dial timeout, backstop', 'timeout'), DIAL_TIMEOUT_MS);
    signal?.addEventListener('abort', abort, { once: true });
    this.#packets.send('DIAL_REQ', { protocol: 'tcp', address, random });
    if (signal?.aborted) abort();
    try {
      return await this.#dialled.promise;
    } finally {
      cancel();
      signal?.removeEventListener('abort', abort);
    }
  }

  #receive({ type, random, error, connectId, data }: Packet): void {
    if (type === 'DIAL_RSP') {
      // A second response, or one to another dial, ends the tunnel.
      if (random !== this.#random || this.#socket !== undefined) this.#end('tunnel closed', 'tunnelclosed');
      else if (error !== '') this.#end(error, 'endpoint');
      else this.#open(connectId);
    } else if (type === 'DIAL_CLS') {
      if (random === this.#random) this.#end('dial closed', 'dialclosed');
      else this.#end('tunnel closed', 'tunnelclosed');
    } else if (type === 'DATA') this.#receiveData(connectId, data);
    else if (type === 'CLOSE_RSP' && this.#isOurs(connectId)) this.#end('tunnel closed', 'tunnelclosed');
  }

  #open(connectId: bigint): void {
    this.#moveTo('ok');
    const { clock } = this.#options;
    const close = () => this.#end('tunnel closed', 'tunnelclosed');
    this.#socket = new TunnelSocket({ packets: this.#packets, clock, close }, connectId);
    this.#connectId = connectId;
    this.#dialled.resolve(this.#socket);
  }

  #isOurs(connectId: bigint): boolean {
    return this.#socket !== undefined && connectId === this.#connectId;
  }

  #receiveData(connectId: bigint, data: Uint8Array): void {
    if (connectId === 0n) return;
    if (this.#isOurs(connectId)) this.#socket?.receive(data);
    else this.#packets.send('CLOSE_REQ', { connectId });
  }

  /** Closes the tunnel. A dial that still waits fails for this reason. */
  #end(message: string, reason: DialFailureReason): void {
    const { metrics } = this.#options;
    this.#packets.close();
    if (this.#status !== undefined) this.#moveTo(undefined);
    if (this.#socket !== undefined) this.#socket.over();
    else {
      metrics.dialFailed(reason);
      this.#dialled.reject(new ProxyRefusalError(message));
    }
  }

  #moveTo(status: TunnelStatus | undefined): void {
    this.#options.metrics.moved(this.#status, status);
    this.#status = status;
  }
}
