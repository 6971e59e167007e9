/** How a value is brought into canonical form, and what is noticed on the way. */
export interface CanonicalContext {
  /** The value belongs to this call: changed parts are written into it. Otherwise it is copied where it changes. */
  readonly owned: boolean;
  /** Unknown fields drop; otherwise they are refused. */
  readonly lenient: boolean;
  /** Texts with a canonical form (quantities, times, base64) are taken as they are. */
  readonly trusted: boolean;
  /** Empty lists that differ from absent ones stay, as Go decodes them; encoders leave them out. */
  readonly keepsEmpty: boolean;
  /** Lists that are always shown are null when they are empty: what protobuf leaves of them. */
  readonly emptyIsNull: boolean;
  /** Object members seen, raw values included; only counted when not trusted. */
  members: number;
  /** A map has keys that no JavaScript object can hold in their order (`10` before `9`). */
  unordered: boolean;
}

/** The options of a new context. Absent options are false. */
type ContextOptions = Pick<CanonicalContext, 'owned' | 'lenient' | 'trusted'> &
  Partial<Pick<CanonicalContext, 'keepsEmpty' | 'emptyIsNull'>>;

/** A context of one value, of which nothing has been seen. */
export function newContext(options: ContextOptions): CanonicalContext {
  const { owned, lenient, trusted, keepsEmpty = false, emptyIsNull = false } = options;
  return { owned, lenient, trusted, keepsEmpty, emptyIsNull, members: 0, unordered: false };
}

/** The canonical form of a value that is not null. Throws NotCanonical when it does not fit the schema. */
export type Canonicalize = (value: unknown, context: CanonicalContext) => unknown;

/** Thrown when a value does not fit its schema. Without words: the exact decoder finds them. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

/** A struct or map as it stands in an object. */
export type Members = { [key: string]: unknown };

/** Gives up on a value. */
export function refuse(): never {
  throw new NotCanonical();
}

/** Gives up on a value that does not parse. */
export function orRefuse<T, R>(parse: (value: T) => R, value: T): R {
  try {
    return parse(value);
  } catch {
    return refuse();
  }
}
