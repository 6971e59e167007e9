import { BinaryReader } from '@bufbuild/protobuf/wire';
import { messageEnd, readFields, readInt64 } from './messages/key-value.js';
import { COMPACT, RANGE, TRANSACTION } from './methods.js';

/** The known state when a request was sent. */
export interface SentRequest {
  /** The highest revision of earlier responses. */
  readonly newest: number;
  /** Number of replacements of the etcd by another one so far. */
  readonly age: number;
  /** By member. */
  readonly terms: ReadonlyMap<bigint | string, number>;
}

/** Responses of these are linearizable: none is older than any response before the request. */
const LINEARIZABLE: ReadonlySet<string> = new Set([RANGE, TRANSACTION, COMPACT]);

/**
 * Detects that responses come from another etcd: its data was removed, or a backup was restored. Its revision is lower
 * than an earlier one, it belongs to another cluster, or a member's term decreases. Upstream does not detect this, and
 * must be restarted manually.
 */
export class ClusterHistory {
  readonly #replaced: (why: string) => void;
  #newest = 0;
  /** Incremented with each replacement, which invalidates what was known to earlier requests. */
  #age = 0;
  #cluster: bigint | string | undefined;
  /** Immutable: pending requests refer to it. */
  #terms: ReadonlyMap<bigint | string, number> = new Map();

  constructor(replaced: (why: string) => void) {
    this.#replaced = replaced;
  }

  /** Call this when a request is sent. */
  sent(): SentRequest {
    return { newest: this.#newest, age: this.#age, terms: this.#terms };
  }

  /** Call this with the response. */
  received(path: string, bytes: Uint8Array, sent: SentRequest): void {
    if (sent.age !== this.#age || !LINEARIZABLE.has(path)) return;
    const header = readHeader(bytes);
    const { cluster, member, revision, term } = header;
    if (revision === 0) return;
    const why = this.#contradiction(header, sent);
    if (why !== undefined) {
      this.#age++;
      this.#newest = 0;
      this.#terms = new Map();
    }
    this.#cluster = cluster ?? this.#cluster;
    if (member !== undefined && term > (this.#terms.get(member) ?? 0)) {
      this.#terms = new Map([...this.#terms, [member, term]]);
    }
    if (revision > this.#newest) this.#newest = revision;
    if (why !== undefined) this.#replaced(why);
  }

  #contradiction({ cluster, member, revision, term }: Header, { newest, terms }: SentRequest): string | undefined {
    if (revision < newest) return `its revision went back from ${newest} to ${revision}`;
    if (this.#cluster !== undefined && cluster !== undefined && cluster !== this.#cluster) {
      return `cluster ${BigInt(cluster).toString(16)} responded for cluster ${BigInt(this.#cluster).toString(16)}`;
    }
    const before = member === undefined ? undefined : terms.get(member);
    return before !== undefined && term < before ? `a member's term went back from ${before} to ${term}` : undefined;
  }
}

/** etcdserverpb.ResponseHeader. */
interface Header {
  readonly cluster: bigint | string | undefined;
  readonly member: bigint | string | undefined;
  readonly revision: number;
  readonly term: number;
}

/** Reads the header of any response, whose first field it is. */
function readHeader(bytes: Uint8Array): Header {
  const header: { -readonly [K in keyof Header]: Header[K] } = {
    cluster: undefined,
    member: undefined,
    revision: 0,
    term: 0,
  };
  const reader = new BinaryReader(bytes);
  if (reader.len === 0 || reader.tag()[0] !== 1) return header;
  readFields(reader, messageEnd(reader), (field) => {
    if (field === 1) header.cluster = reader.uint64();
    else if (field === 2) header.member = reader.uint64();
    else if (field === 3) header.revision = readInt64(reader);
    else if (field === 4) header.term = readInt64(reader);
    else return false;
    return true;
  });
  return header;
}
