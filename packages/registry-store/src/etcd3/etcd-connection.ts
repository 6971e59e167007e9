import type { SecureContextOptions } from 'node:tls';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import type { SocketDialer } from '../grpc/dialled-socket.js';
import { GrpcChannel } from '../grpc/grpc-channel.js';
import { GrpcCode, GrpcError } from '../grpc/grpc-error.js';
import type { GrpcStream, GrpcStreamHandlers } from '../grpc/grpc-stream.js';
import { KeyValueError } from '../key-value-error.js';
import { ClusterHistory } from './cluster-history.js';
import { isTransient } from './etcd-errors.js';

/** Upstream's settings. Upstream: storagebackend/factory/etcd3.go */
const KEEPALIVE = { interval: 30_000, timeout: 10_000 };
/** Time without a response after which another server is asked, if there is one, and the slow one is pinged. */
const SLOW_MS = 2000;
/** Time for which idempotent calls are retried when servers refuse connections. */
const RETRY_FOR_MS = 3000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;

/** The members of a cluster, and how to reach them. */
export interface EtcdConnectionOptions {
  readonly endpoints: readonly [string, ...string[]];
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
  readonly clock: Clock;
  /** Timeout of a call in milliseconds. */
  readonly requestTimeout: number;
  /** Timeout of a connection attempt in milliseconds. */
  readonly connectTimeout: number;
  /** Opens connections. Default: TCP from this machine. */
  readonly dial?: SocketDialer | undefined;
  /** Called when another etcd has replaced the one before. Default: no notification. */
  readonly replaced?: (why: string) => void;
}

/**
 * The servers of a cluster. One of them is used until it fails, then the next one. All of them respond alike (reads are
 * linearizable), and one connection costs less than several.
 */
export class EtcdConnection {
  readonly #channels: readonly GrpcChannel[];
  readonly #options: EtcdConnectionOptions;
  readonly #history: ClusterHistory;
  #current = 0;
  #closed = false;

  constructor(options: EtcdConnectionOptions) {
    const { endpoints, tls, dial, clock, connectTimeout } = options;
    this.#options = options;
    this.#history = new ClusterHistory(options.replaced ?? (() => {}));
    this.#channels = endpoints.map(
      (url) => new GrpcChannel({ url, tls, dial, clock, connectTimeout, keepalive: KEEPALIVE }),
    );
  }

  get endpoints(): readonly string[] {
    return this.#channels.map((channel) => channel.url);
  }

  /** An idempotent call: it is retried at the next server, and for a while. Throws GrpcError. */
  async read(path: string, message: Uint8Array): Promise<Buffer> {
    const { requestTimeout } = this.#options;
    const clock = durationClock(this.#options.clock);
    const started = clock.now();
    for (let attempt = 0; ; attempt++) {
      const left = started + requestTimeout - clock.now();
      const channel = this.#channel();
      const several = this.#channels.length > 1;
      try {
        return await this.#watched(
          channel,
          (timeout) => this.#call(channel, { path, message, timeout }),
          several ? Math.min(left, SLOW_MS) : left,
        );
      } catch (error) {
        if (!(error instanceof GrpcError) || this.#closed || !isTransient(error)) throw error;
        this.#leave(channel);
        const spent = clock.now() - started;
        const slow = error.grpcCode === GrpcCode.deadlineExceeded;
        if (spent >= requestTimeout || (!slow && spent >= RETRY_FOR_MS)) throw error;
        await this.#pause(attempt);
      }
    }
  }

  /** A call that must not be repeated: another server is only asked if the first certainly did not begin. */
  async write(path: string, message: Uint8Array): Promise<Buffer> {
    const { requestTimeout } = this.#options;
    const clock = durationClock(this.#options.clock);
    const started = clock.now();
    for (let attempt = 0; ; attempt++) {
      const channel = this.#channel();
      try {
        return await this.#watched(
          channel,
          (timeout) => this.#call(channel, { path, message, timeout }),
          requestTimeout,
        );
      } catch (error) {
        if (!(error instanceof GrpcError) || this.#closed) throw error;
        if (error.outcome !== 'refused') this.#leave(channel);
        if (error.outcome !== 'unsent' || clock.now() - started >= RETRY_FOR_MS) throw error;
        await this.#pause(attempt);
      }
    }
  }

  /** Asks one server, once. Throws GrpcError. */
  async ask(endpoint: string, path: string, message: Uint8Array): Promise<Buffer> {
    const channel = this.#channels.find(({ url }) => url === endpoint) ?? this.#channel();
    return await channel.call(path, message, this.#options.connectTimeout);
  }

  /** A stream at the current server. A stream that breaks switches to the next. */
  open(path: string, handlers: GrpcStreamHandlers): GrpcStream {
    const channel = this.#channel();
    return channel.open(path, {
      message: (bytes) => handlers.message(bytes),
      end: (error) => {
        if (error !== undefined) this.#leave(channel);
        handlers.end(error);
      },
    });
  }

  close(): void {
    this.#closed = true;
    for (const channel of this.#channels) channel.close();
  }

  async #call(
    channel: GrpcChannel,
    { path, message, timeout }: { readonly path: string; readonly message: Uint8Array; readonly timeout: number },
  ): Promise<Buffer> {
    const sent = this.#history.sent();
    const response = await channel.call(path, message, timeout);
    this.#history.received(path, response, sent);
    return response;
  }

  #channel(): GrpcChannel {
    if (this.#closed) throw new KeyValueError('Closed', 'the store is closed');
    return this.#channels[this.#current] as GrpcChannel;
  }

  /** Switches to the next server, unless that has happened already. */
  #leave(channel: GrpcChannel): void {
    if (this.#channels[this.#current] === channel) this.#current = (this.#current + 1) % this.#channels.length;
  }

  /** Pings the server of a slow call, so that a hung one is found before its watches are missed. */
  async #watched<T>(channel: GrpcChannel, call: (timeout: number) => Promise<T>, timeout: number): Promise<T> {
    const cancel = channel.after(SLOW_MS, () => channel.probe());
    try {
      return await call(timeout);
    } finally {
      cancel();
    }
  }

  async #pause(attempt: number): Promise<void> {
    const round = Math.floor(attempt / this.#channels.length);
    const pause = attempt % this.#channels.length === this.#channels.length - 1 ? FIRST_PAUSE_MS * 2 ** round : 0;
    if (pause === 0) return;
    await sleep(this.#options.clock, Math.min(pause, MAX_PAUSE_MS));
  }
}
