import type { Random } from '../../watch/random.ts';

/** Most of the values that a body may have, and as many keys of managed fields as an object gets by them. */
const MAX_VALUES = 90_000;

interface Place {
  readonly parent: object;
  readonly key: string | number;
}

/** A JSON value with one piece of it repeated: an item of a list, a member of an object, or a part of a text. */
export interface RepeatedPiece {
  readonly value: unknown;
  /** The place of the piece, for messages. */
  readonly path: string;
}

/** Repeats a piece until it has some `bytes` in JSON, or as many values as a body may have. Never changes `value`. */
export function repeatedPiece(random: Random, value: object, bytes: number): RepeatedPiece {
  const copy = structuredClone(value);
  const places = [...placesOf(copy, '')].filter(([, { parent, key }]) => isRepeatable(valueAt(parent, key)));
  const [first, ...others] = places;
  if (first === undefined) throw new TypeError('a value without pieces');
  const [path, { parent, key }] = random.of([first, ...others]);
  (parent as Record<string | number, unknown>)[key] = repeated(random, valueAt(parent, key), bytes);
  return { value: copy, path };
}

function valueAt(parent: object, key: string | number): unknown {
  return (parent as Record<string | number, unknown>)[key];
}

function* placesOf(value: unknown, path: string): Generator<readonly [path: string, place: Place]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const here = `${path}.${name}`;
    yield [here, { parent: value, key: Array.isArray(value) ? Number(name) : name }];
    yield* placesOf(member, here);
  }
}

function isRepeatable(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function repeated(random: Random, value: unknown, bytes: number): unknown {
  if (typeof value === 'string') return repeatedText(random, value, bytes);
  const isList = Array.isArray(value);
  const members = Object.entries(value as object) as [[string, unknown], ...[string, unknown][]];
  const [name, member] = random.of(members);
  const numbered = numbering(random, member);
  const room = bytes / (JSON.stringify(member).length + (isList ? 1 : name.length + 8));
  const count = Math.max(1, Math.floor(Math.min(room, MAX_VALUES / countValues(member))));
  const copies = Array.from({ length: count }, (_, i) => numbered(i));
  if (isList) return [...value, ...copies];
  return { ...(value as object), ...Object.fromEntries(copies.map((copy, i) => [`${name}${i}`, copy])) };
}

/** A part of the text, its end, or a character that parsers care for. */
function repeatedText(random: Random, text: string, bytes: number): string {
  const piece = random.of([
    text || 'a',
    text.slice(-1) || 'a',
    text.slice(random.below(text.length), random.below(text.length)) || '.',
    ...['a', '.', '-', '/', ',', '%', '\\', '"', 'é', ' ', '\n', '1', '=', '*', '(', 'a.', '$(a)', '::', '[', '{'],
  ]);
  return text + piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
}

/** Makes copies of a value: equal ones, with other texts, or with one text that differs. */
function numbering(random: Random, value: unknown): (index: number) => unknown {
  const texts = [...textsOf(value)].length;
  const which = random.of([-1, texts, random.below(Math.max(1, texts)), 0]);
  // Copies of their own: a second piece grows one of them.
  if (which < 0) return () => structuredClone(value);
  return (index) => {
    let seen = 0;
    const visit = (one: unknown): unknown => {
      if (typeof one === 'string') return which === texts || seen++ === which ? `${one}${index}` : one;
      if (typeof one !== 'object' || one === null) return one;
      if (Array.isArray(one)) return one.map(visit);
      return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, visit(member)]));
    };
    return visit(value);
  };
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* textsOf(one);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + countValues(one), 1);
}
