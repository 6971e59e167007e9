import type { Clock } from '@apiserver/apimachinery/clock';
import { LocalGrpcClient } from '@apiserver/registry-store/grpc';
import {
  decodeFetchKeysResponse,
  decodeMetadataResponse,
  decodeSignResponse,
  encodeSignRequest,
  type FetchedKeys,
  type SignedParts,
} from './signer-messages.js';
import type { SignerMetrics } from './signer-metrics.js';

/** Timeouts in milliseconds. Upstream: completeServiceAccountOptions of pkg/controlplane/apiserver/options */
const KEYS_TIMEOUT_MS = 60_000;
const METADATA_TIMEOUT_MS = 10_000;
/** Upstream: the deadline of the request. */
const SIGN_TIMEOUT_MS = 60_000;
const NO_FIELDS = new Uint8Array(0);

/** Calls an external signer. Calls reject with a GrpcError. */
export class SignerClient {
  readonly #client: LocalGrpcClient;
  readonly #metrics: SignerMetrics;

  /** `path` of the unix socket. */
  constructor(path: string, clock: Clock, metrics: SignerMetrics) {
    this.#client = new LocalGrpcClient(path, clock);
    this.#metrics = metrics;
  }

  /** `claims` in base64url. */
  async sign(claims: string): Promise<SignedParts> {
    return decodeSignResponse(await this.#call('Sign', encodeSignRequest(claims), SIGN_TIMEOUT_MS));
  }

  async fetchKeys(): Promise<FetchedKeys> {
    return decodeFetchKeysResponse(await this.#call('FetchKeys', NO_FIELDS, KEYS_TIMEOUT_MS));
  }

  /** The maximum lifetime of tokens in seconds. */
  async maxTokenExpirationSeconds(): Promise<number> {
    return decodeMetadataResponse(await this.#call('Metadata', NO_FIELDS, METADATA_TIMEOUT_MS));
  }

  close(): void {
    this.#client.close();
  }

  async #call(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array> {
    const path = `/v1.ExternalJWTSigner/${method}`;
    const started = performance.now();
    let failure: unknown;
    try {
      return await this.#client.call(path, message, timeout);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#metrics.called(path, failure, performance.now() - started);
    }
  }
}
