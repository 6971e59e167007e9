import type { Random } from '../watch/random.ts';

const ODD = [
  null,
  '',
  0,
  -1,
  1.5,
  'x',
  [],
  {},
  true,
  false,
  'é',
  '*',
  'https://',
  'http://a.b',
  '1s',
  '-1s',
  '10m',
  1e9,
] as const;

/**
 * A copy of a JSON value with a few random changes: members that are gone, renamed, odd or unknown, and other lists.
 */
export function mutatedValue(random: Random, value: unknown): unknown {
  const changed: unknown = structuredClone(value);
  do change(random, changed);
  while (random.chance(0.4));
  return changed;
}

function change(random: Random, root: unknown): void {
  const places = placesOf(root);
  const [first, ...others] = places;
  if (first === undefined) return;
  const { parent, key } = random.of([first, ...others]);
  const kind = random.next();
  const target = parent as Record<string | number, unknown>;
  if (kind < 0.2) remove(parent, key);
  else if (kind < 0.6) target[key] = structuredClone(random.of(ODD));
  else if (kind < 0.7) target[key] = structuredClone(valueAt(random.of([first, ...others])));
  else if (kind < 0.85) enlarge(random, target, key);
  else rename(random, parent, key);
}

interface Place {
  readonly parent: object;
  readonly key: string | number;
}

function valueAt({ parent, key }: Place): unknown {
  return (parent as Record<string | number, unknown>)[key];
}

function placesOf(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? value.map((_, at) => at) : Object.keys(value);
  return keys.flatMap((key) => [{ parent: value, key }, ...placesOf(valueAt({ parent: value, key }))]);
}

function remove(parent: object, key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

/** A list has one of its items twice, an object an unknown member, and a text another character. */
function enlarge(random: Random, target: Record<string | number, unknown>, key: string | number): void {
  const value = target[key];
  if (Array.isArray(value)) value.push(...structuredClone(value.slice(0, 1 + random.below(2))));
  else if (typeof value === 'object' && value !== null) {
    Object.assign(value, { [random.of(['unknown', 'x'])]: random.of(ODD) });
  } else target[key] = `${String(value)}${random.of(['x', '/', ' ', '*', '.', '"', ')'])}`;
}

function rename(random: Random, parent: object, key: string | number): void {
  if (Array.isArray(parent)) return;
  const value = valueAt({ parent, key });
  remove(parent, key);
  const text = String(key);
  const name = random.of([text.toUpperCase(), text.toLowerCase(), `${text}s`, text.slice(1)]);
  Object.assign(parent, { [name]: value });
}
