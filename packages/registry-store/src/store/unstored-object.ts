import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson, freezeJsonSteps } from '@apiserver/apimachinery/json';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { takeTurns } from '../objects/take-turns.js';

/** Larger objects are frozen and encoded in turns. */
const LARGE = 64 * 1024;

/** A result that is not in storage: of a dry run, an object removed by its last update, a decorated one. */
export function unstoredObject<T extends KubeObject>(object: T): StoredObject<T> {
  freezeJson(object);
  const { resourceVersion = '' } = object.metadata;
  return { object, resourceVersion, byteLength: lengthInJson(object, LARGE + 1), wire: () => undefined };
}

/** The same in several turns if the object is large. */
export async function unstoredObjectInTurns<T extends KubeObject>(object: T): Promise<StoredObject<T>> {
  if (lengthInJson(object, LARGE + 1) > LARGE) await takeTurns(freezeJsonSteps(object));
  return unstoredObject(object);
}

/** About the length of a value in JSON. Counting ends at `most`. */
function lengthInJson(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let length = 2;
  for (const key in value) {
    length += (Array.isArray(value) ? 1 : key.length + 4) + lengthInJson(Reflect.get(value, key), most - length);
    if (length >= most) break;
  }
  return length;
}
