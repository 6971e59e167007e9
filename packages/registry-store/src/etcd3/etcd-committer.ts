import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcError } from '../grpc/grpc-error.js';
import type { CommitRequest, CommitResult, KeyValue, KeyValueEvent } from '../key-value-store.js';
import type { EtcdConnection } from './etcd-connection.js';
import { isAmbiguous, isUnknownLease, toKeyValueError } from './etcd-errors.js';
import { readChangeOf } from './key-history.js';
import type { LeaseManager } from './lease-manager.js';
import type { EtcdKeyValue } from './messages/key-value.js';
import { decodeRangeAnswer, encodeRange } from './messages/range.js';
import { decodeTransactionAnswer, type EtcdWrite, encodeTransaction } from './messages/transaction.js';
import { RANGE, TRANSACTION } from './methods.js';

export interface EtcdCommitterOptions {
  readonly connection: EtcdConnection;
  readonly leases: LeaseManager;
  readonly clock: Clock;
}

/**
 * Commits as transactions that compare the key's mod revision. A transaction is never sent twice. When its answer is lost
 * the key's history tells what has become of it.
 */
export class EtcdCommitter {
  readonly #connection: EtcdConnection;
  readonly #leases: LeaseManager;
  readonly #clock: Clock;
  /** The newest revision that any answer has told: what is written next is later. */
  #seen = 0;

  constructor({ connection, leases, clock }: EtcdCommitterOptions) {
    this.#connection = connection;
    this.#leases = leases;
    this.#clock = clock;
  }

  /** The revisions seen so far were another etcd's. */
  forget(): void {
    this.#seen = 0;
  }

  /** Throws KeyValueError; Unavailable when nobody knows, and the write may even happen later. */
  async commit(request: CommitRequest): Promise<CommitResult> {
    // The comparison would hold for a key that is not there, and a deletion of nothing gets no revision.
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
    const answer = decodeTransactionAnswer(await this.#connection.write(TRANSACTION, message));
    this.#seen = Math.max(this.#seen, answer.revision);
    const { revision } = answer;
    return answer.succeeded ? { committed: true, revision } : refusal(answer.current, revision);
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
   * Finds out what has become of a write whose answer never came. While the key is as it was there is no telling: the
   * write may be on its way to this day.
   */
  async #resolve(request: CommitRequest, before: number, lost: GrpcError): Promise<CommitResult> {
    const { key, expectedRevision: from } = request;
    const { kv, revision } = await this.#read(key);
    if ((kv?.modRevision ?? 0) === from) throw toKeyValueError(lost);
    // It was there when the write was sent, and has been since: the comparison could not hold at any time.
    if (from === 0 && kv !== undefined && kv.createRevision <= before) return refusal(kv, revision);
    const after = from === 0 ? before : from;
    const change = await readChangeOf({ connection: this.#connection, clock: this.#clock, key, after, from });
    if (change === undefined) throw toKeyValueError(lost);
    return isWhatWasAsked(request, change) ? { committed: true, revision: change.revision } : refusal(kv, revision);
  }

  async #read(key: string): Promise<{ readonly kv: EtcdKeyValue | undefined; readonly revision: number }> {
    try {
      const answer = decodeRangeAnswer(await this.#connection.read(RANGE, encodeRange({ key })));
      this.#seen = Math.max(this.#seen, answer.revision);
      return { kv: answer.kvs[0], revision: answer.revision };
    } catch (error) {
      throw error instanceof GrpcError ? toKeyValueError(error) : error;
    }
  }
}

/** A writer whose very bytes now stand there has got what it asked for, whoever wrote them. */
function isWhatWasAsked(request: CommitRequest, change: KeyValueEvent): boolean {
  if (request.type === 'delete') return change.type === 'delete';
  return change.type === 'put' && Buffer.compare(change.value, request.value) === 0;
}

function refusal(kv: EtcdKeyValue | undefined, revision: number): CommitResult {
  return { committed: false, current: kv && plainKeyValue(kv), revision };
}

/** Without what is etcd's alone. */
export function plainKeyValue({ key, value, modRevision }: EtcdKeyValue): KeyValue {
  return { key, value, modRevision };
}
