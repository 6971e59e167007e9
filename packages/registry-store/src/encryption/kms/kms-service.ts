import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcError, grpcErrorText } from '../../grpc/grpc-error.js';
import { LocalGrpcClient } from '../../grpc/local-grpc-client.js';
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

/** The plugin of `createKmsService`. */
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
  readonly #client: LocalGrpcClient;

  constructor(options: KmsServiceOptions) {
    this.#options = options;
    this.#client = new LocalGrpcClient(socketPath(options.endpoint), options.clock);
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
    this.#client.close();
  }

  async #call(method: string, message: Uint8Array): Promise<Uint8Array> {
    const { name, metrics, timeout } = this.#options;
    const path = `/v2.KeyManagementService/${method}`;
    const started = performance.now();
    const count = (status: string): void => metrics.kmsCalled(name, path, status, (performance.now() - started) / 1000);
    try {
      const response = await this.#client.call(path, message, timeout);
      count('OK');
      return response;
    } catch (error) {
      count(statusOf(error));
      throw error instanceof GrpcError ? new EncryptionError(grpcErrorText(error), error) : error;
    }
  }
}

/** Upstream: ParseEndpoint of k8s.io/kms/pkg/util */
function socketPath(endpoint: string): string {
  const path = decodeURIComponent(endpoint.replace(/^[^:]*:(?:\/\/[^/]*)?/, '').replace(/[?#].*$/s, ''));
  return path.startsWith('/@') ? path.slice(1) : path;
}
