import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcError } from '../grpc/grpc-error.js';
import type { CommitRequest, CommitResult, KeyValue, KeyValueEvent } from '../key-value-store.js';
import type { EtcdConnection } from './etcd-connection.js';
import { isAmbiguous, isUnknownLease, toKeyValueError } from './etcd-errors.js';
import { readChangeOf } from './key-history.js';
import type { LeaseManager } from './lease-manager.js';
import type { EtcdKeyValue } from './messages/key-value.js';
import { decodeRangeResponse, encodeRange } from './messages/range.js';
import { decodeTransactionResponse, type EtcdWrite, encodeTransaction } from './messages/transaction.js';
import { RANGE, TRANSACTION } from './methods.js';

/** Dependencies of `EtcdCommitter`. */
export interface EtcdCommitterOptions {
  readonly connection: EtcdConnection;
  readonly leases: LeaseManager;
  readonly clock: Clock;
}

/**
 * Commits as transactions that compare the key's mod revision. A transaction is never sent twice. If its response is
 * lost, the key's history tells its outcome.
 */
export class EtcdCommitter {
  readonly #connection: EtcdConnection;
  readonly #leases: LeaseManager;
  readonly #clock: Clock;
  /** The newest revision in any response: later writes have higher ones. */
  #seen = 0;

  constructor({ connection, leases, clock }: EtcdCommitterOptions) {
    this.#connection = connection;
    this.#leases = leases;
    this.#clock = clock;
  }

  /** Called when the revisions so far belong to another etcd. */
  forget(): void {
    this.#seen = 0;
  }

  /** Throws KeyValueError; Unavailable if the outcome is unknown, and the write may even happen later. */
  async commit(request: CommitRequest): Promise<CommitResult> {
    // The comparison would hold for an absent key, and deleting nothing gets no revision.
    if (request.type === 'delete' && request.expectedRevision === 0) return await this.#refuse(request.key);
    const before = Math.max(this.#seen, request.expectedRevision);
    try {
      return await this.#transact(request);
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      if (isAmbiguous(error)) return await this.#resolve(request, before, error);
      throw toKeyValueError(error);
    }
  }

  async #transact(request: CommitRequest): Promise<CommitResult> {
    try {
      return await this.#send(request);
    } catch (error) {
      if (!(error instanceof GrpcError) || !isUnknownLease(error)) throw error;
      this.#leases.forget();
      return await this.#send(request);
    }
  }

  async #send(request: CommitRequest): Promise<CommitResult> {
    const { key, expectedRevision } = request;
    const comparison = { key, target: 'modRevision', value: expectedRevision } as const;
    const message = encodeTransaction({ comparison, write: await this.#writeOf(request) });
    const response = decodeTransactionResponse(await this.#connection.write(TRANSACTION, message));
    this.#seen = Math.max(this.#seen, response.revision);
    const { revision } = response;
    return response.succeeded ? { committed: true, revision } : refusal(response.current, revision);
  }

  async #writeOf(request: CommitRequest): Promise<EtcdWrite> {
    if (request.type === 'delete') return { type: 'delete', key: request.key };
    const { key, value, ttlSeconds } = request;
    if (!ttlSeconds) return { type: 'put', key, value };
    return { type: 'put', key, value, lease: await this.#leases.leaseFor(ttlSeconds) };
  }

  async #refuse(key: string): Promise<CommitResult> {
    const { kv, revision } = await this.#read(key);
    return refusal(kv, revision);
  }

  /**
   * Determines the outcome of a write whose response was lost. While the key is unchanged it is unknown: the write may
   * still be in transit.
   */
  async #resolve(request: CommitRequest, before: number, lost: GrpcError): Promise<CommitResult> {
    const { key, expectedRevision: from } = request;
    const { kv, revision } = await this.#read(key).catch(() => {
      throw toKeyValueError(lost);
    });
    if ((kv?.modRevision ?? 0) === from) throw toKeyValueError(lost);
    // The key existed when the write was sent, and ever since: the comparison never held.
    if (from === 0 && kv !== undefined && kv.createRevision <= before) return refusal(kv, revision);
    const after = from === 0 ? before : from;
    const change = await readChangeOf({ connection: this.#connection, clock: this.#clock, key, after, from });
    if (change === undefined) throw toKeyValueError(lost);
    return isRequestedChange(request, change) ? { committed: true, revision: change.revision } : refusal(kv, revision);
  }

  async #read(key: string): Promise<{ readonly kv: EtcdKeyValue | undefined; readonly revision: number }> {
    try {
      const response = decodeRangeResponse(await this.#connection.read(RANGE, encodeRange({ key })));
      this.#seen = Math.max(this.#seen, response.revision);
      return { kv: response.kvs[0], revision: response.revision };
    } catch (error) {
      throw error instanceof GrpcError ? toKeyValueError(error) : error;
    }
  }
}

/** If exactly the requested bytes are there, the request succeeded, even if another client wrote them. */
function isRequestedChange(request: CommitRequest, change: KeyValueEvent): boolean {
  if (request.type === 'delete') return change.type === 'delete';
  return change.type === 'put' && Buffer.compare(change.value, request.value) === 0;
}

function refusal(kv: EtcdKeyValue | undefined, revision: number): CommitResult {
  return { committed: false, current: kv && plainKeyValue(kv), revision };
}

/** Without fields that only etcd has. */
function plainKeyValue({ key, value, modRevision }: EtcdKeyValue): KeyValue {
  return { key, value, modRevision };
}
