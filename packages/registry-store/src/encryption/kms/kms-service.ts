import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { goWordsOf } from '@apiserver/apimachinery/errors';
import { GrpcChannel } from '../../grpc/grpc-channel.js';
import { GrpcCode, GrpcError, grpcCodeName } from '../../grpc/grpc-error.js';
import { EncryptionError, statusOf } from '../encryption-error.js';
import type { EncryptionMetrics } from '../encryption-metrics.js';
import {
  decodeDecryptResponse,
  decodeEncryptResponse,
  decodeStatusResponse,
  encodeDecryptRequest,
  encodeEncryptRequest,
  type KmsCiphertext,
  type KmsStatus,
} from './kms-messages.js';

/** gRPC's delay between a failed connection and the next attempt. */
const RECONNECT_MS = 1000;
/** Plugins are local, so the timeout of a call is usually the limit. */
const CONNECT_TIMEOUT_MS = 20_000;
const HOUR_MS = 3_600_000;
/** gRPC's default limit of a message. Upstream: defaultClientMaxReceiveMessageSize of google.golang.org/grpc */
const MAX_MESSAGE = 4 * 1024 * 1024;

export interface KmsServiceOptions {
  /** `unix:///run/kms.sock`; `unix:///@name` is a socket without a file. */
  readonly endpoint: string;
  readonly name: string;
  /** Timeout of one call in milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly metrics: EncryptionMetrics;
}

/**
 * A KMS plugin. Calls wait for a plugin that is not available yet until their timeout, and fail with an Error in gRPC's
 * wording.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2/grpc_service.go
 */
export interface KmsService {
  status(): Promise<KmsStatus>;
  encrypt(plaintext: Uint8Array, uid: string): Promise<KmsCiphertext>;
  decrypt(encrypted: KmsCiphertext, uid: string): Promise<Uint8Array>;
  /** Aborts pending calls. Idempotent. */
  close(): void;
}

/** Connects on the first call. */
export function createKmsService(options: KmsServiceOptions): KmsService {
  return new GrpcKmsService(options);
}

class GrpcKmsService implements KmsService {
  readonly #options: KmsServiceOptions;
  readonly #path: string;
  readonly #channel: GrpcChannel;
  #closed = false;

  constructor(options: KmsServiceOptions) {
    this.#options = options;
    this.#path = socketPath(options.endpoint);
    this.#channel = new GrpcChannel({
      url: 'http://localhost',
      socketPath: this.#path.replace(/^@/, '\0'),
      tls: {},
      clock: options.clock,
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepalive: { interval: HOUR_MS, timeout: CONNECT_TIMEOUT_MS },
      maxMessage: MAX_MESSAGE,
    });
  }

  async status(): Promise<KmsStatus> {
    return decodeStatusResponse(await this.#call('Status', new Uint8Array(0)));
  }

  async encrypt(plaintext: Uint8Array, uid: string): Promise<KmsCiphertext> {
    return decodeEncryptResponse(await this.#call('Encrypt', encodeEncryptRequest(plaintext, uid)));
  }

  async decrypt(encrypted: KmsCiphertext, uid: string): Promise<Uint8Array> {
    return decodeDecryptResponse(await this.#call('Decrypt', encodeDecryptRequest(encrypted, uid)));
  }

  close(): void {
    this.#closed = true;
    this.#channel.close();
  }

  async #call(method: string, message: Uint8Array): Promise<Uint8Array> {
    const { name, metrics } = this.#options;
    const path = `/v2.KeyManagementService/${method}`;
    const started = performance.now();
    const count = (status: string): void => metrics.kmsCalled(name, path, status, (performance.now() - started) / 1000);
    try {
      const response = await this.#callWhenReady(path, message);
      count('OK');
      return response;
    } catch (error) {
      count(statusOf(error));
      throw error instanceof GrpcError ? new EncryptionError(grpcText(error), error) : error;
    }
  }

  /** Upstream: google.golang.org/grpc.WaitForReady */
  async #callWhenReady(path: string, message: Uint8Array): Promise<Uint8Array> {
    const { clock, timeout } = this.#options;
    const deadline = clock.now() + timeout;
    for (;;) {
      try {
        return await this.#channel.call(path, message, deadline - clock.now());
      } catch (error) {
        if (!(error instanceof GrpcError) || error.outcome !== 'unsent') throw error;
        if (this.#closed) throw new GrpcError(CANCELED, 'grpc: the client connection is closing', 'unsent', error);
        const left = deadline - clock.now();
        await sleep(clock, Math.min(RECONNECT_MS, Math.max(left, 0)));
        if (left <= RECONNECT_MS) throw this.#neverReady(error);
      }
    }
  }

  #neverReady(cause: GrpcError): GrpcError {
    const why = `transport: Error while dialing: dial unix ${this.#path}: ${dialReason(cause)}`;
    const text = `latest balancer error: connection error: desc = ${JSON.stringify(why)}`;
    return new GrpcError(GrpcCode.deadlineExceeded, text, 'unsent', cause);
  }
}

const CANCELED = 1;

/** Upstream: ParseEndpoint of k8s.io/kms/pkg/util */
function socketPath(endpoint: string): string {
  const path = decodeURIComponent(endpoint.replace(/^[^:]*:(?:\/\/[^/]*)?/, '').replace(/[?#].*$/s, ''));
  return path.startsWith('/@') ? path.slice(1) : path;
}

function grpcText({ grpcCode, message }: GrpcError): string {
  return `rpc error: code = ${grpcCodeName(grpcCode)} desc = ${message}`;
}

/** Common connection errors of Node in Go's wording. */
function dialReason(error: GrpcError): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const words = goWordsOf(at);
    if (words !== undefined) return `connect: ${words}`;
  }
  return error.message;
}
