import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { goWordsOf } from '@apiserver/apimachinery/errors';
import { GrpcChannel } from './grpc-channel.js';
import { GrpcCode, GrpcError } from './grpc-error.js';

/** gRPC's delay between a failed connection and the next attempt. */
const RECONNECT_MS = 1000;
/** Programs on this machine are local, so the timeout of a call is usually the limit. */
const CONNECT_TIMEOUT_MS = 20_000;
const HOUR_MS = 3_600_000;
/** gRPC's default limit of a message. Upstream: defaultClientMaxReceiveMessageSize of google.golang.org/grpc */
const MAX_MESSAGE = 4 * 1024 * 1024;
const CANCELED = 1;

/**
 * A client of a program on this machine. Calls wait for a program that is not available yet until their timeout.
 * Connects on the first call.
 * Upstream: google.golang.org/grpc.WaitForReady
 */
export class LocalGrpcClient {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #channel: GrpcChannel;
  #closed = false;

  /** `path` of a unix socket; one that begins with "@" has no file. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = durationClock(clock);
    this.#channel = new GrpcChannel({
      url: 'http://localhost',
      socketPath: path.replace(/^@/, '\0'),
      tls: {},
      clock,
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepalive: { interval: HOUR_MS, timeout: CONNECT_TIMEOUT_MS },
      maxMessage: MAX_MESSAGE,
    });
  }

  /** One request and one response, within `timeout` milliseconds. Throws a GrpcError. */
  async call(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array> {
    const deadline = this.#clock.now() + timeout;
    for (;;) {
      try {
        return await this.#channel.call(method, message, deadline - this.#clock.now());
      } catch (error) {
        if (!(error instanceof GrpcError) || error.outcome !== 'unsent') throw error;
        if (this.#closed) throw new GrpcError(CANCELED, 'grpc: the client connection is closing', 'unsent', error);
        const left = deadline - this.#clock.now();
        await sleep(this.#clock, Math.min(RECONNECT_MS, Math.max(left, 0)));
        if (left <= RECONNECT_MS) throw this.#neverReady(error);
      }
    }
  }

  /** Aborts pending calls. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#channel.close();
  }

  #neverReady(cause: GrpcError): GrpcError {
    const why = `transport: Error while dialing: dial unix ${this.#path}: ${dialReason(cause)}`;
    const text = `latest balancer error: connection error: desc = ${JSON.stringify(why)}`;
    return new GrpcError(GrpcCode.deadlineExceeded, text, 'unsent', cause);
  }
}

/** Common connection errors of Node in Go's wording. */
function dialReason(error: GrpcError): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const words = goWordsOf(at);
    if (words !== undefined) return `connect: ${words}`;
  }
  return error.message;
}
