import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { jsonMember } from './forms/json-members.js';

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/**
 * An object in JSON reduced to the values at some paths of ASCII names. Nothing else is parsed. Undefined if a list or an
 * object is at the end of a path.
 */
export function jsonExcerpt<T extends object>(json: Buffer, paths: readonly (readonly string[])[]): T | undefined {
  const excerpt: T = JSON.parse('{}');
  for (const path of paths) {
    const place = placeOf(json, path);
    if (place === undefined) continue;
    const opening = json[place.valueStart];
    if (opening === OPEN_BRACE || opening === OPEN_BRACKET) return undefined;
    setAt(excerpt, path, parseJsonValue(json.subarray(place.valueStart, place.end)));
  }
  return excerpt;
}

function placeOf(json: Buffer, path: readonly string[]): ReturnType<typeof jsonMember> {
  let place: ReturnType<typeof jsonMember>;
  for (const name of path) {
    const at = place?.valueStart ?? 0;
    place = json[at] === OPEN_BRACE ? jsonMember(json, at, name) : undefined;
    if (place === undefined) return undefined;
  }
  return place;
}

function setAt(object: object, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    Reflect.set(object, name, value);
    return;
  }
  if (!Object.hasOwn(object, name)) Reflect.set(object, name, {});
  setAt(Reflect.get(object, name), rest, value);
}
