import { JsonMembers } from './forms/json-members.js';

/** Longer lists are left out: they contain no selectable field. */
const LONG_LIST = 16 * 1024;
/** Larger objects are outlined recursively. */
const LARGE_OBJECT = 16 * 1024;
/** No schema has this many fields: a larger object is a map from there on. */
const FIELDS = 1_000;
/** Large objects below are left out: each level costs another pass. */
const DEPTH = 16;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const [OPENING, COMMA, CLOSING] = [Buffer.from('{'), Buffer.from(','), Buffer.from('}')];

/**
 * JSON of a large object reduced to parts that may have selectable fields. Long lists are left out, and members of
 * large maps except the first ones and those with one of these `names`. Nothing is parsed.
 */
export function jsonOutline(json: Buffer, names: readonly string[] = []): Buffer {
  const pieces: Buffer[] = [];
  addObject(pieces, new JsonMembers(json, 0), { json, names, depth: 0 });
  return Buffer.concat(pieces);
}

interface Place {
  readonly json: Buffer;
  readonly names: readonly string[];
  readonly depth: number;
}

function addObject(pieces: Buffer[], members: JsonMembers, place: Place): void {
  pieces.push(OPENING);
  const start = pieces.length;
  for (let count = 0; members.next(); count++) {
    if (count >= FIELDS && !place.names.some((name) => members.isNamed(name))) continue;
    addMember(pieces, members, { place, comma: pieces.length > start });
  }
  pieces.push(CLOSING);
}

function addMember(
  pieces: Buffer[],
  members: JsonMembers,
  { place, comma }: { readonly place: Place; readonly comma: boolean },
): void {
  const { json, names, depth } = place;
  const { start, valueStart, end } = members;
  const opening = json[valueStart];
  if (opening === OPEN_BRACKET && end - valueStart > LONG_LIST) return;
  const isLarge = opening === OPEN_BRACE && end - valueStart > LARGE_OBJECT;
  if (isLarge && depth === DEPTH) return;
  if (comma) pieces.push(COMMA);
  pieces.push(json.subarray(start, isLarge ? valueStart : end));
  if (isLarge) addObject(pieces, new JsonMembers(json, valueStart), { json, names, depth: depth + 1 });
}
