import type { LaterMembers } from '../../json/later-members.js';

/** Options and observations of one canonicalization. */
export interface CanonicalContext {
  /** True if the value belongs to this call: changes are made in place. Otherwise changed parts are copied. */
  readonly owned: boolean;
  /** True if unknown fields are dropped; otherwise they are rejected. */
  readonly lenient: boolean;
  /** True if texts with a canonical form (quantities, times, base64) are accepted unchecked. */
  readonly trusted: boolean;
  /** True if empty lists that differ from absent ones stay, as Go decodes them. Encoders leave them out. */
  readonly keepsEmpty: boolean;
  /** True for the form after a round trip through protobuf: empty required lists are null, null bytes in maps empty. */
  readonly asFromProtobuf: boolean;
  /** Takes the members of large maps, which are canonicalized later. Only where the value is owned and not trusted. */
  readonly later: LaterMembers | undefined;
  /** Object members seen, including those of raw values; only counted when not trusted. */
  members: number;
  /** Empty lists and maps that were left out, and quantities of another notation, of a value as a client sent it. */
  uncanonical: number;
  /** True if a map has keys that no JavaScript object can hold in their order (`10` before `9`). */
  unordered: boolean;
}

/** The options of a new context. Absent options are false. */
type ContextOptions = Pick<CanonicalContext, 'owned' | 'lenient' | 'trusted'> &
  Partial<Pick<CanonicalContext, 'keepsEmpty' | 'asFromProtobuf' | 'later'>>;

/** A fresh context for one value. */
export function newContext(options: ContextOptions): CanonicalContext {
  const { owned, lenient, trusted, keepsEmpty = false, asFromProtobuf = false, later } = options;
  return { owned, lenient, trusted, keepsEmpty, asFromProtobuf, later, members: 0, uncanonical: 0, unordered: false };
}

/** The canonical form of a value that is not null. Throws NotCanonical when it does not fit the schema. */
export type Canonicalize = (value: unknown, context: CanonicalContext) => unknown;

/** Thrown when a value does not fit its schema. It has no message: the exact decoder finds that. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

/** The members of a struct or map. */
export type Members = { [key: string]: unknown };

/** Throws NotCanonical. */
export function refuse(): never {
  throw new NotCanonical();
}

/** Parses a value; throws NotCanonical when that fails. */
export function orRefuse<T, R>(parse: (value: T) => R, value: T): R {
  try {
    return parse(value);
  } catch {
    return refuse();
  }
}
