import { getOwn, isMembers, jsonTypeName, type Members } from '@apiserver/apimachinery/json';

/** A type of Go. */
type GoType = 'bool' | 'string' | '[]string' | 'map[string]string' | 'map[string][]string' | Struct;

interface Struct {
  readonly name: string;
  readonly fields: Readonly<Record<string, GoType>>;
}

const userInfo: Struct = {
  name: 'UserInfo',
  fields: { username: 'string', uid: 'string', groups: '[]string', extra: 'map[string][]string' },
};

/** The status of each kind of review. */
const statuses: ReadonlyMap<string, Struct> = new Map<string, Struct>([
  [
    'TokenReview',
    {
      name: 'TokenReviewStatus',
      fields: { authenticated: 'bool', user: userInfo, audiences: '[]string', error: 'string' },
    },
  ],
  [
    'SubjectAccessReview',
    {
      name: 'SubjectAccessReviewStatus',
      fields: { allowed: 'bool', denied: 'bool', reason: 'string', evaluationError: 'string' },
    },
  ],
  [
    'ImageReview',
    { name: 'ImageReviewStatus', fields: { allowed: 'bool', reason: 'string', auditAnnotations: 'map[string]string' } },
  ],
]);

/**
 * The status that another server responded with. A member that is null counts as absent. Throws an Error in Go's words
 * for a member of another type: the text "false" must not allow anything.
 * Upstream: UnmarshalTypeError of Go's encoding/json
 */
export function reviewStatus(kind: string, status: object): object {
  const struct = statuses.get(kind);
  return struct === undefined ? { ...status } : structOf(struct, { ...status }, 'status');
}

/** A field in messages. */
interface Place {
  readonly struct: string;
  readonly path: string;
}

function structOf({ name, fields }: Struct, members: Members, path: string): object {
  const read = Object.entries(fields).flatMap(([field, type]): [string, unknown][] => {
    const value = getOwn(members, field);
    if (value === undefined || value === null) return [];
    return [[field, decoded(type, value, { struct: name, path: `${path}.${field}` })]];
  });
  return Object.fromEntries(read);
}

function decoded(type: GoType, value: unknown, place: Place): unknown {
  if (typeof type === 'object') {
    if (!isMembers(value)) throw wrongType(value, place, type.name);
    return structOf(type, value, place.path);
  }
  switch (type) {
    case 'bool':
      if (typeof value !== 'boolean') throw wrongType(value, place, type);
      return value;
    case 'string':
      return textOf(value, place);
    case '[]string':
      return textsOf(value, place);
    default: {
      if (!isMembers(value)) throw wrongType(value, place, type);
      const read = type === 'map[string]string' ? textOf : textsOf;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, read(one, place)]));
    }
  }
}

function textOf(value: unknown, place: Place): string {
  if (value === null) return '';
  if (typeof value !== 'string') throw wrongType(value, place, 'string');
  return value;
}

function textsOf(value: unknown, place: Place): readonly string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw wrongType(value, place, '[]string');
  return value.map((one: unknown) => textOf(one, place));
}

function wrongType(value: unknown, { struct, path }: Place, type: string): Error {
  return new Error(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field ${struct}.${path} of type ${type}`,
  );
}
