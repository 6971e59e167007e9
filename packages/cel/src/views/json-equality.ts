import { WORK_OF_LIST, type Work, workOfLength } from '../values/work.js';
import { isJsonObject, ownValue } from './json.js';

/** Deep equality of JSON. Absent and empty lists and maps are different. */
export function equalJson(a: unknown, b: unknown, work?: Work): boolean {
  if (a === b) {
    if (typeof a === 'string') work?.spend(workOfLength(a.length));
    return true;
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    work?.spend(a.length + WORK_OF_LIST);
    return a.every((element, index) => equalJson(element, b[index], work));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  work?.spend(keys.length * WORK_OF_PROPERTY);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => equalJson(a[key], ownValue(b, key), work));
}

/** Work of comparing one property, besides that of its value. */
const WORK_OF_PROPERTY = 10;
