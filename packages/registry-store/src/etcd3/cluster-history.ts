import { BinaryReader } from '@bufbuild/protobuf/wire';
import { messageEnd, readFields, readInt64 } from './messages/key-value.js';
import { COMPACT, RANGE, TRANSACTION } from './methods.js';

/** The state of knowledge when a request was sent. */
export interface Asked {
  readonly newest: number;
  readonly age: number;
  /** By member. */
  readonly terms: ReadonlyMap<bigint | string, number>;
}

/** Answers of these are linearizable: none is older than what any answer before the request said. */
const LINEARIZABLE: ReadonlySet<string> = new Set([RANGE, TRANSACTION, COMPACT]);

/**
 * Notices when what answers is another etcd than before: its data was removed, or a backup of it was restored. Its revision
 * is lower than one that an answer has told already, it belongs to another cluster, or a member's term goes back.
 * Upstream notices nothing of this, and has to be restarted by hand.
 */
export class ClusterHistory {
  readonly #replaced: (why: string) => void;
  #newest = 0;
  /** Raised with each replacement: what was asked before one says nothing any more. */
  #age = 0;
  #cluster: bigint | string | undefined;
  /** Never changed: those that wait for an answer hold it. */
  #terms: ReadonlyMap<bigint | string, number> = new Map();

  constructor(replaced: (why: string) => void) {
    this.#replaced = replaced;
  }

  /** To be called when a request is sent. */
  asked(): Asked {
    return { newest: this.#newest, age: this.#age, terms: this.#terms };
  }

  /** To be called with the answer. */
  answered(path: string, bytes: Uint8Array, asked: Asked): void {
    if (asked.age !== this.#age || !LINEARIZABLE.has(path)) return;
    const header = readHeader(bytes);
    const { cluster, member, revision, term } = header;
    if (revision === 0) return;
    const why = this.#contradiction(header, asked);
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

  #contradiction({ cluster, member, revision, term }: Header, { newest, terms }: Asked): string | undefined {
    if (revision < newest) return `its revision went back from ${newest} to ${revision}`;
    if (this.#cluster !== undefined && cluster !== undefined && cluster !== this.#cluster) {
      return `cluster ${BigInt(cluster).toString(16)} answers for cluster ${BigInt(this.#cluster).toString(16)}`;
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

/** Of any answer, whose first field it is. */
function readHeader(bytes: Uint8Array): Header {
  const header: { -readonly [K in keyof Header]: Header[K] } = {
    ...{ cluster: undefined, member: undefined },
    ...{ revision: 0, term: 0 },
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
