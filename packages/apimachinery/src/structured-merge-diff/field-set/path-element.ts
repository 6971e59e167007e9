import { parseJsonValue } from '../../codec/json/parse-json.js';
import { stringifyJson } from '../../codec/json/stringify-json.js';
import { isDecodeError } from '../../errors/decode-error.js';
import { printFloat, printNumber } from '../../field/print-value.js';
import { compareKeys, sortKeys } from '../../json/compare-keys.js';
import { getOwn } from '../../json/set-own.js';
import { lengthenEscapes } from '../../text/long-escapes.js';
import { quote } from '../../text/quote.js';
import type { Json, JsonObject } from '../../types/json.js';
import { atoiFault, parseInt64 } from '../../values/int64.js';
import { compareValues } from './compare-values.js';

/**
 * One step of a field path, in its FieldsV1 form. `f:name` is a field or map key, `k:{"name":"a"}` the list item with
 * these keys, `v:"a"` the item of a set, `i:0` an index. The text is canonical: equal elements are equal strings.
 * Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath (PathElement)
 */
export type PathElement = string;

/**
 * Element of list items that have neither keys nor a value. It is in no stored set. Upstream: the zero PathElement, which
 * stands for an item without an element.
 */
export const NO_ELEMENT: PathElement = '';

/** From the root down. */
export type FieldPathElements = readonly PathElement[];

/** The element of a struct's field or a map's key. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The element of an item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${writeText(value)}`;
}

/** The element of an item of a keyed list. `names` are sorted; `values` are in the same order. */
export function keyElement(names: readonly string[], values: readonly unknown[]): PathElement {
  let members = '';
  for (let i = 0; i < names.length; i++) {
    if (i > 0) members += ',';
    members += `${writeText(names[i])}:${writeText(values[i])}`;
  }
  return `k:{${members}}`;
}

/** Text without escapes, Go's included. Nearly all keys are. */
const PLAIN_TEXT = /^[ !#-%'-;=?-[\]-~]*$/;

/** Encodes a JSON value for an element. */
function writeText(value: unknown): string {
  if (typeof value === 'string') return PLAIN_TEXT.test(value) ? `"${value}"` : lengthenEscapes(stringifyJson(value));
  return Number.isSafeInteger(value) ? String(value) : lengthenExponents(lengthenEscapes(stringifyJson(value)));
}

/** Writes exponents of one digit with two. Upstream's writer of elements does so, unlike that of objects. */
function lengthenExponents(json: string): string {
  return SHORT_EXPONENT.test(json) ? json.replace(TEXT_OR_EXPONENT, (_, text, digit) => text ?? `e-0${digit}`) : json;
}

const SHORT_EXPONENT = /\de-\d(?!\d)/;
/** A text, which may look like a number, or a short exponent outside of texts. */
const TEXT_OR_EXPONENT = /("[^"\\]*(?:\\.[^"\\]*)*")|e-(\d)(?!\d)/g;

/** The name in a field element; undefined for the other kinds. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.charCodeAt(0) === FIELD ? element.slice(2) : undefined;
}

/** Reports whether an element names an item by its keys. */
export function isKeyElement(element: PathElement): boolean {
  return element.charCodeAt(0) === KEY;
}

const FIELD = 'f'.charCodeAt(0);
const KEY = 'k'.charCodeAt(0);

/** Thrown for text that is not a path element. */
export class PathElementError extends Error {}

/**
 * The canonical element of a client's text; undefined for unknown kinds of element, which must be skipped. Throws
 * PathElementError.
 *
 * Upstream: DeserializePathElement in sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize-pe.go
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError('key must be 2 characters long:');
  if (text[1] !== ':') throw new PathElementError(`missing colon: ${text}`);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      if (PLAIN_VALUE.test(text)) return text;
      return valueElement(parseText(text.slice(2)));
    case 'k':
      if (isPlainKey(text)) return text;
      return canonicalKeyElement(parseText(text.slice(2)));
    case 'i':
      return PLAIN_INDEX.test(text) ? text : canonicalIndexElement(text);
    default:
      return undefined;
  }
}

// Elements that are certainly canonical, as nearly all are: plain text or whole numbers, names in order.
const PLAIN_SCALAR = `(?:"[ !#-%'-;=?-[\\]-~]*"|0|[1-9][0-9]{0,14}|true|false)`;
const PLAIN_VALUE = new RegExp(`^v:${PLAIN_SCALAR}$`);
const PLAIN_KEY = new RegExp(`^k:{"([A-Za-z0-9]+)":${PLAIN_SCALAR}(?:,"([A-Za-z0-9]+)":${PLAIN_SCALAR})?}$`);

const PLAIN_INDEX = /^i:(?:0|[1-9][0-9]{0,14})$/;

function isPlainKey(text: string): boolean {
  const [, first = '', second] = PLAIN_KEY.exec(text) ?? [''];
  return first !== '' && (second === undefined || first < second);
}

function parseText(text: string): Json {
  try {
    return parseJsonValue(Buffer.from(text));
  } catch (error) {
    throw isDecodeError(error) ? new PathElementError(error.message) : error;
  }
}

function canonicalKeyElement(keys: Json): PathElement {
  const object = keys ?? {};
  if (typeof object !== 'object' || Array.isArray(object)) throw new PathElementError('a key must be an object');
  const names = Object.keys(object).sort(compareKeys);
  return keyElement(
    names,
    names.map((name) => getOwn(object, name)),
  );
}

function canonicalIndexElement(text: string): PathElement {
  const digits = text.slice(2);
  const index = parseInt64(digits);
  if (index !== undefined) return `i:${index}`;
  throw new PathElementError(atoiFault(digits));
}

/** Number of items of a set from which it pays to check for plain texts, which sort without parsing. */
const MANY = 64;
const PLAIN_TEXT_VALUE = /^v:"[ !#-%'-;=?-[\]-~]*"$/;

function sortTexts(elements: readonly PathElement[]): PathElement[] {
  return elements
    .map((element) => element.slice(3, -1))
    .sort()
    .map((text) => `v:"${text}"`);
}

/** Sorts elements in upstream's order: fields, keys, values, indexes, each by content. */
export function sortPathElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  if (elements.every((element) => element.charCodeAt(0) === FIELD)) return sortKeys(elements);
  if (elements.length > MANY && elements.every((element) => PLAIN_TEXT_VALUE.test(element))) return sortTexts(elements);
  return elements
    .map(sortable)
    .sort(compareSortable)
    .map(({ element }) => element);
}

/** Elements that are parsed and sorted, or merged, between two pauses. */
const SORTED_AT_ONCE = 4_096;

/** The same in steps of a few milliseconds: clients may send a hundred thousand keys or indexes. */
export function* sortPathElementsInSteps(elements: PathElement[]): Generator<void, PathElement[]> {
  if (elements.length <= SORTED_AT_ONCE || elements.every((element) => element.charCodeAt(0) === FIELD)) {
    return sortPathElements(elements);
  }
  let runs: Sortable[][] = [];
  for (let at = 0; at < elements.length; at += SORTED_AT_ONCE) {
    runs.push(
      elements
        .slice(at, at + SORTED_AT_ONCE)
        .map(sortable)
        .sort(compareSortable),
    );
    yield;
  }
  while (runs.length > 1) {
    const merged: Sortable[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergedInSteps(runs[i] ?? [], runs[i + 1] ?? []));
    runs = merged;
  }
  return (runs[0] ?? []).map(({ element }) => element);
}

/** Merges sorted elements. */
function* mergedInSteps(first: readonly Sortable[], second: readonly Sortable[]): Generator<void, Sortable[]> {
  const merged: Sortable[] = [];
  for (let i = 0, j = 0; i < first.length || j < second.length; ) {
    if (merged.length % SORTED_AT_ONCE === 0) yield;
    const [a, b] = [first[i], second[j]];
    const isFirst = b === undefined || (a !== undefined && compareSortable(a, b) <= 0);
    const next = isFirst ? a : b;
    if (next !== undefined) merged.push(next);
    if (isFirst) i++;
    else j++;
  }
  return merged;
}

interface Sortable {
  readonly element: PathElement;
  readonly rank: number;
  readonly value: Json;
}

const sortable = (element: PathElement): Sortable => ({ element, ...parsed(element) });
const compareSortable = (a: Sortable, b: Sortable) => a.rank - b.rank || compareParsed(a.value, b.value);

const ranks: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

function parsed(element: PathElement): { readonly rank: number; readonly value: Json } {
  const rank = ranks[element[0] ?? ''] ?? 4;
  const text = element.slice(2);
  if (rank === 0) return { rank, value: text };
  const value = parseText(text);
  return rank === 1 ? { rank, value: keyPairs(value as JsonObject) } : { rank, value };
}

/** The keys as a list of names and values, which compares like upstream's field lists. */
function keyPairs(keys: JsonObject): Json {
  return Object.keys(keys)
    .sort(compareKeys)
    .flatMap((name) => [name, keys[name] ?? null]);
}

function compareParsed(a: Json, b: Json): number {
  return compareValues(a, b);
}

/** An element in messages: `.name`, `[name="a",port=80]`, `[="a"]`, `[0]`. */
export function printPathElement(element: PathElement, numbers: typeof printNumber = printNumber): string {
  const { rank, value } = parsed(element);
  switch (rank) {
    case 0:
      return `.${String(value)}`;
    case 1: {
      const keys = parseText(element.slice(2)) as JsonObject;
      const names = Object.keys(keys).sort(compareKeys);
      return `[${names.map((name) => `${name}=${printValue(keys[name] ?? null, numbers)}`).join(',')}]`;
    }
    case 2:
      return `[=${printValue(value, numbers)}]`;
    default:
      return `[${String(value)}]`;
  }
}

/** A path in messages. */
export function printFieldPath(path: FieldPathElements): string {
  return path.map((element) => printPathElement(element)).join('');
}

/** A path of managed fields in messages. Upstream reads the numbers of its keys as doubles. */
export function printManagedPath(path: FieldPathElements): string {
  return path.map((element) => printPathElement(element, (value) => printFloat(Number(value)))).join('');
}

function printValue(value: Json, numbers: typeof printNumber): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map((item) => printValue(item, numbers)).join(',')}]`;
  if (typeof value === 'number' || typeof value === 'bigint') return numbers(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const names = Object.keys(value).sort(compareKeys);
  return names.map((name) => `${name}=${printValue(value[name] ?? null, numbers)}`).join('');
}
