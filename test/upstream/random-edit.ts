import type { Random } from '../watch/random.ts';

/** Values that a part of a definition may be replaced with. */
const ODD = [
  null,
  '',
  'x',
  'a.b',
  'A',
  0,
  -1,
  1.5,
  true,
  false,
  {},
  [],
  ['a'],
  ['a', 'a'],
  { type: 'string' },
  { a: 1 },
] as const;

interface Place {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string;
}

/**
 * Changes a random part of a JSON value: it is removed, replaced by another part or by an odd value, or doubled.
 * Mutates.
 */
export function editRandomly(random: Random, root: object, keys: readonly [string, unknown][]): void {
  const places = placesIn(root);
  const [first, ...others] = places;
  if (first === undefined) return;
  const { holder, key } = random.of([first, ...others]);
  const kind = random.next();
  if (Array.isArray(holder)) editList(random, holder, Number(key));
  else if (kind < 0.3) delete holder[key];
  else if (kind < 0.45) holder[key] = structuredClone(random.of(ODD));
  else if (kind < 0.55) {
    const other = random.of([first, ...others]);
    holder[key] = structuredClone(Reflect.get(other.holder, other.key));
  } else {
    const [name, value] = random.of(keys as [[string, unknown], ...[string, unknown][]]);
    holder[name] = structuredClone(value);
  }
}

function editList(random: Random, list: unknown[], index: number): void {
  if (random.chance(0.3)) list.splice(index, 1);
  else if (random.chance(0.5)) list.push(structuredClone(list[index]));
  else list[index] = structuredClone(random.of(ODD));
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Place['holder'];
  return Object.entries(value).flatMap(([key, member]) => [{ holder, key }, ...placesIn(member)]);
}
