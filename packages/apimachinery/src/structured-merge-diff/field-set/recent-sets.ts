import { isMembers } from '../../json/is-members.js';
import type { DeepReadonly, JsonObject } from '../../types/json.js';
import type { FieldSet } from './field-set.js';
import { parseFieldsV1 } from './fields-v1.js';

type Fields = DeepReadonly<JsonObject>;

/** The keys of a FieldsV1 object, in order, and those below each of them. */
interface Outline {
  readonly keys: readonly string[];
  readonly below: readonly Outline[];
}

interface Known {
  readonly outline: Outline;
  readonly set: FieldSet;
}

/** Managers with different fields that write at the same time. */
const MAX_SETS = 16;
/** Position from which a set that is found again moves up. The first are found fast in any order. */
const FEW = 4;
/** Sets with more keys are not kept. */
const MAX_KEYS = 128;
/** Characters for which a key counts as one more. The sets of all servers in a process share their memory. */
const KEY_LENGTH = 64;

/**
 * The sets that were decoded last. Objects of one kind have few different sets of fields. Equal ones are then one set, which
 * is already known to fit its type, and is recognised by `===`.
 */
export class RecentSets {
  /** Roughly by use. */
  readonly #known: Known[] = [];

  /** As parseFieldsV1. The set is shared by objects with the same keys in the same order. Throws PathElementError. */
  of(fields: Fields): FieldSet {
    const known = this.#known;
    let before: Known | undefined;
    for (let i = 0; i < known.length; i++) {
      const one = known[i];
      if (one === undefined) break;
      if (hasOutline(fields, one.outline)) {
        if (i >= FEW && before !== undefined) known.splice(i - 1, 2, one, before);
        return one.set;
      }
      before = one;
    }
    const set = parseFieldsV1(fields);
    const outline = outlineOf(fields, { left: MAX_KEYS });
    if (outline === undefined) return set;
    if (known.length === MAX_SETS) known.pop();
    known.push({ outline, set });
    return set;
  }
}

/** Undefined for an object with many or long keys, or with anything but objects. */
function outlineOf(fields: unknown, budget: { left: number }): Outline | undefined {
  if (!isMembers(fields)) return undefined;
  const keys = Object.keys(fields);
  for (const key of keys) budget.left -= 1 + Math.floor(key.length / KEY_LENGTH);
  if (budget.left < 0) return undefined;
  const below: Outline[] = [];
  for (const key of keys) {
    const outline = outlineOf(fields[key], budget);
    if (outline === undefined) return undefined;
    below.push(outline);
  }
  return { keys, below };
}

/** Looks at no more keys than the outline has. */
function hasOutline(fields: unknown, { keys, below }: Outline): boolean {
  if (!isMembers(fields)) return false;
  let i = 0;
  for (const key in fields) {
    const member = fields[key];
    const outline = below[i];
    if (outline === undefined || key !== keys[i] || !hasOutline(member, outline)) return false;
    i++;
  }
  return i === keys.length;
}
