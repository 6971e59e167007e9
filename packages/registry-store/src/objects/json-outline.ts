import { JsonMembers } from './forms/json-members.js';

/** Lists with more bytes are left out: no field that can be selected by lies in one. */
const LONG_LIST = 16 * 1024;
/** Objects with more bytes are looked into. */
const LARGE_OBJECT = 16 * 1024;
/** No schema has so many fields: behind them a large object is a map. */
const FIELDS = 1_000;
/** Large objects below are left out: each level is passed over anew. */
const DEPTH = 16;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const [OPENING, COMMA, CLOSING] = [Buffer.from('{'), Buffer.from(','), Buffer.from('}')];

/**
 * JSON of a large object without what makes it large, as far as no field can be selected by it: long lists, and the members
 * of large maps but the first ones and those with one of these `names`. Nothing is parsed.
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
