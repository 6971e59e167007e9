import { type Json, type JsonObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { DecodeError, isDecodeError } from '@apiserver/apimachinery/errors';

/** The members of a document that name its kind. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The apiVersion and kind of a JSON value. Throws a DecodeError with upstream's message. */
export function jsonTypeMeta(value: Json, membersOf = membersInOrder): TypeMeta {
  try {
    return typeMetaOf(value, membersOf);
  } catch (error) {
    throw isDecodeError(error) ? withoutKind(error) : error;
  }
}

function membersInOrder(value: JsonObject): readonly [string, Json][] {
  return Object.entries(value);
}

/** Upstream makes JSON of YAML first, whose members are sorted: of two spellings of a name the later one counts. */
export function sortedMembers(value: JsonObject): readonly [string, Json][] {
  const named = Object.entries(value).filter(([key]) => typeMetaField(key) !== undefined);
  return named.sort(([a], [b]) => (a < b ? -1 : 1));
}

const TYPE_META_GO_TYPE =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The same without the words in front of an error. */
export function typeMetaOf(value: Json, membersOf = membersInOrder): TypeMeta {
  if (value === null) return { apiVersion: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new DecodeError(
      'type',
      `json: cannot unmarshal ${goJsonType(value)} into Go value of type ${TYPE_META_GO_TYPE}`,
    );
  }
  return typeMetaOfMembers(membersOf(value));
}

/**
 * The same of an object's members. The last text of each name counts. The first value of another type is a fault, unless
 * it is null.
 */
export function typeMetaOfMembers(members: Iterable<readonly [string, Json]>): TypeMeta {
  const meta = { apiVersion: '', kind: '' };
  for (const [key, member] of members) {
    const name = typeMetaField(key);
    if (name !== undefined && member !== null) meta[name] = textOf(member, name);
  }
  return checkedTypeMeta(meta);
}

/** Names are case-insensitive here, unlike elsewhere; the last spelling wins. */
function typeMetaField(key: string): 'apiVersion' | 'kind' | undefined {
  if (key.length === 4) return key.toLowerCase() === 'kind' ? 'kind' : undefined;
  return key.length === 10 && API_VERSION.test(key) ? 'apiVersion' : undefined;
}

/** Any spelling as Go compares letters: the long s counts as one. */
const API_VERSION = /^apiversion$/iu;

function textOf(value: Json, name: string): string {
  if (typeof value === 'string') return value.toWellFormed();
  throw new DecodeError(
    'type',
    `json: cannot unmarshal ${goJsonType(value)} into Go struct field .${name} of type string`,
  );
}

/** The same type. Throws for a version that is none. */
export function checkedTypeMeta<T extends { readonly apiVersion: string }>(meta: T): T {
  if (tryParseGroupVersion(meta.apiVersion) === undefined) {
    throw new DecodeError('type', `unexpected GroupVersion string: ${meta.apiVersion.toWellFormed()}`);
  }
  return meta;
}

/** Go's name of a JSON value's type, as in errors of its decoder. */
export function goJsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return typeof value;
}

/** The error of a document whose kind cannot be read. */
export function withoutKind(error: DecodeError): DecodeError {
  if (error.message.startsWith('unexpected GroupVersion string')) return error;
  return new DecodeError(error.reason, `couldn't get version/kind; json parse error: ${error.message}`);
}
