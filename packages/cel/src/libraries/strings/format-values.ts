import { quote } from '@apiserver/apimachinery/text';
import { formatDuration } from '../../time/duration.js';
import { formatTimestamp } from '../../time/timestamp.js';
import { type FormatArguments, type FormatClause, FormatError, fillFormat } from '../../values/format-string.js';
import { formatShortest } from '../../values/go-number.js';
import { Double, type Int, isInt, Uint } from '../../values/number.js';
import { Panic } from '../../values/panic.js';
import { typeName } from '../../values/runtime-type.js';
import { compareTexts } from '../../values/text-order.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  type Result,
  Timestamp,
  TypeValue,
  type Value,
} from '../../values/value.js';
import { formatFixed, formatGrouped, formatScientific } from './format-number.js';
import { tooLong } from './replace-text.js';

/**
 * Fills in a format string with the elements of a list.
 *
 * Upstream: github.com/google/cel-go/ext/formatting.go, for the locale en_US
 */
export function formatValues(text: string, list: ListValue): Result {
  try {
    const result = fillFormat(text, new ListArguments(list));
    return tooLong(result.length, 'format') ?? result;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return new EvaluationError(error.message);
  }
}

class ListArguments implements FormatArguments {
  readonly #list: ListValue;
  readonly size: number;

  constructor(list: ListValue) {
    this.#list = list;
    this.size = list.size;
  }

  take(index: number): void {
    if (index >= this.size) throw new FormatError(`index ${index} out of range`);
  }

  format(index: number, clause: FormatClause): string {
    return formatClause(this.#list.at(index), clause);
  }
}

function formatClause(value: Value, { verb, precision }: FormatClause): string {
  switch (verb) {
    case 's':
      return formatText(value);
    case 'd':
      return formatDecimal(value);
    case 'f':
      return formatFloat(doubleOf(value, 'fixed-point'), precision, formatGrouped);
    case 'e':
      return formatFloat(doubleOf(value, 'scientific'), precision, (number, width) =>
        formatScientific(number, boundedWidth(width)),
      );
    case 'b':
      return formatBinary(value);
    case 'o':
      return integerOf(value, 'octal clause can only be used on integers').toString(8);
    case 'x':
      return formatHexadecimal(value);
    case 'X':
      return formatHexadecimal(value).toUpperCase();
  }
}

const DEFAULT_PRECISION = 6;
/** A precision that is larger without its last digit is no number to upstream. */
const MAX_PRECISION = 1_000_000;
/** Upstream takes 65,535. A clause costs less than 1, so its result is bounded here. */
const MAX_WIDTH = 10_000;
/** The text of a verb that upstream's printer does not find. */
const NO_VERB = '%!(NOVERB)';

/** Upstream: parsenum of golang.org/x/text/internal/format/parser.go */
function formatFloat(
  value: number,
  given: number | undefined,
  format: (value: number, precision: number) => string,
): string {
  const precision = given ?? DEFAULT_PRECISION;
  return Math.floor(precision / 10) > MAX_PRECISION ? NO_VERB : format(value, precision);
}

/** Upstream keeps 16 bits of a width. */
function boundedWidth(precision: number): number {
  const width = precision & 0xffff;
  if (width > MAX_WIDTH) throw new FormatError(`precision ${width} is larger than ${MAX_WIDTH}`);
  return width;
}

function fault(message: string, value: Value): FormatError {
  return new FormatError(`${message}, was given ${typeName(value)}`);
}

function integerOf(value: Value, message: string): Int {
  if (isInt(value)) return value;
  if (value instanceof Uint) return value.value;
  throw fault(message, value);
}

function formatDecimal(value: Value): string {
  return String(integerOf(value, 'decimal clause can only be used on integers'));
}

function formatBinary(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return integerOf(value, 'only integers and bools can be formatted as binary').toString(2);
}

function formatHexadecimal(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerOf(value, 'only integers, byte buffers, and strings can be formatted as hex').toString(16);
}

const NAMED_DOUBLES: ReadonlyMap<Value, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function doubleOf(value: Value, clause: string): number {
  if (value instanceof Double) return value.value;
  const named = NAMED_DOUBLES.get(value);
  if (named === undefined) throw fault(`${clause} clause can only be used on doubles`, value);
  return named;
}

const TEXT_FAULT =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

/** The text of a value. Within lists and maps, some types have another. */
function formatText(value: Value): string {
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  const text = formatCommon(value);
  if (text === undefined) throw fault(TEXT_FAULT, value);
  return text;
}

/** The text of a value whose type has only one. */
function formatCommon(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof ListValue) return formatList(value);
  if (value instanceof MapValue) return formatMap(value);
  if (value instanceof Uint8Array) return formatBytes(value);
  return value instanceof TypeValue ? value.type.name : undefined;
}

function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return formatShortest(value);
  return value > 0 ? '+Inf' : '-Inf';
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NOT_UTF8 = 'invalid UTF-8 in bytes, cannot convert to string';

function formatBytes(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new FormatError(`could not convert argument ${quote(NOT_UTF8)} to string`);
  }
}

function formatList(list: ListValue): string {
  const texts: string[] = [];
  for (let index = 0; index < list.size; index++) texts.push(formatMember(list.at(index)));
  return `[${texts.join(', ')}]`;
}

function formatMap(map: MapValue): string {
  const entries: { readonly key: string; readonly text: string }[] = [];
  for (const key of map.keys()) {
    if (key === null && map.hasHoles)
      throw new Panic('runtime error: invalid memory address or nil pointer dereference');
    const text = formatKey(key);
    entries.push({ key: text, text: `${text}:${formatMember(map.find(key) ?? null)}` });
  }
  entries.sort((a, b) => compareTexts(a.key, b.key));
  return `{${entries.map(({ text }) => text).join(', ')}}`;
}

function formatKey(key: Value): string {
  if (typeof key === 'string') return quote(key);
  if (typeof key === 'boolean' || isInt(key)) return String(key);
  if (key instanceof Uint) return String(key.value);
  throw new FormatError(`no formatting function for map key of type ${typeName(key)}`);
}

/** A value within a list or map, nearly as a literal. */
function formatMember(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value instanceof Double) return formatMemberDouble(value.value);
  if (value instanceof Timestamp) return `timestamp(${quote(formatTimestamp(value))})`;
  if (value instanceof Duration) return `duration(${quote(formatDuration(value))})`;
  if (value instanceof Uint8Array) return `b${quote(formatBytes(value))}`;
  const text = formatCommon(value);
  if (text === undefined) throw new FormatError(`no formatting function for ${typeName(value)}`);
  return text;
}

function formatMemberDouble(value: number): string {
  return Number.isFinite(value) ? formatFixed(value, DEFAULT_PRECISION) : quote(formatDouble(value));
}
