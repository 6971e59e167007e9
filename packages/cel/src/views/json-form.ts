import { base64Fault } from '@apiserver/apimachinery/text';
import { parseCommonDate, parseCommonTime } from '../time/common-time.js';
import { parseFormattedDuration, parseSimpleDuration } from '../time/duration.js';
import { LAYOUTS, parseTime, TimeError } from '../time/go-time.js';
import { parseDateTime } from '../time/timestamp.js';
import { InvalidValue } from '../values/invalid-value.js';
import { Double } from '../values/number.js';
import { Duration, EvaluationError, Timestamp, type Value } from '../values/value.js';
import { workOfLength } from '../values/work.js';
import type { ViewContext } from './view-context.js';

/** Reads values of one type out of JSON. It reads an InvalidValue from other JSON. */
export abstract class JsonForm {
  readonly #nullable: boolean;

  constructor(nullable: boolean) {
    this.#nullable = nullable;
  }

  /** Takes any JSON; undefined is null. */
  read(json: unknown, context: ViewContext): Value {
    if (json === null || json === undefined) return this.#nullable ? null : NULL_REFUSED;
    return this.readPresent(json, context);
  }

  /** The value of JSON that is not null. */
  protected abstract readPresent(json: unknown, context: ViewContext): Value;
}

const NULL_REFUSED = invalid('invalid data, got null for schema with nullable=false');

/** A value that fails with this message where it is used. */
export function invalid(message: string): InvalidValue {
  return new InvalidValue(new EvaluationError(message));
}

/** The name of the Go type that holds JSON, or a value that an expression has put into a list. */
function goTypeOf(json: unknown): string {
  switch (typeof json) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isSafeInteger(json) ? 'int64' : 'float64';
    case 'string':
      return 'string';
  }
  if (Array.isArray(json)) return '[]interface {}';
  if (json instanceof Timestamp) return 'time.Time';
  if (json instanceof Duration) return 'time.Duration';
  return json instanceof Uint8Array ? '[]uint8' : 'map[string]interface {}';
}

/** Booleans. */
export class BoolForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    return typeof json === 'boolean' ? json : invalid(`invalid data, expected bool, got ${goTypeOf(json)}`);
  }
}

/** Integers of 64 bits. */
export class IntForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    if (Number.isSafeInteger(json) && typeof json === 'number') return json;
    return typeof json === 'bigint' ? json : invalid(`invalid data, expected int, got ${goTypeOf(json)}`);
  }
}

/** Doubles. */
export class DoubleForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    if (typeof json === 'number' || typeof json === 'bigint') return new Double(Number(json));
    return invalid(`invalid data, expected float, got ${goTypeOf(json)}`);
  }
}

/** Integers and texts: `x-kubernetes-int-or-string`. */
export class IntOrStringForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    if (typeof json === 'string' || typeof json === 'bigint') return json;
    if (typeof json === 'number' && Number.isSafeInteger(json)) return json;
    return INT_OR_STRING_EXPECTED;
  }
}

const INT_OR_STRING_EXPECTED = invalid('invalid data, expected XIntOrString value to be either a string or integer');

/** Texts. */
export class StringForm extends JsonForm {
  protected readPresent(json: unknown, context: ViewContext): Value {
    return typeof json === 'string'
      ? this.readText(json, context)
      : invalid(`invalid data, expected string, got ${goTypeOf(json)}`);
  }

  protected readText(text: string, _context: ViewContext): Value {
    return text;
  }
}

/** Characters from which a text is parsed once only. */
const LONG_TEXT = 256;

/** Work of parsing a usual text. */
const COMMON_WORK = 12;

/** Work of parsing an unusual text: it takes up to 30 microseconds. */
const UNUSUAL_WORK = 3_000;

/** A form of text that stands for another value. Expressions may read the same text repeatedly. */
abstract class ParsedForm extends StringForm {
  protected override readText(text: string, context: ViewContext): Value {
    context.work?.spend(COMMON_WORK);
    const common = this.readCommon(text);
    if (common !== undefined) return common;
    if (text.length < LONG_TEXT) {
      context.work?.spend(UNUSUAL_WORK);
      return this.parse(text);
    }
    return context.once(this, text, () => {
      context.work?.spend(UNUSUAL_WORK + workOfLength(text.length));
      return this.parse(text);
    });
  }

  /** Reads nearly all right texts, and fast. Undefined for others. */
  protected abstract readCommon(text: string): Value | undefined;

  /** Reads any text. */
  protected abstract parse(text: string): Value;
}

/** Texts of format duration. */
export class DurationForm extends ParsedForm {
  protected override readCommon(text: string): Value | undefined {
    return parseSimpleDuration(text);
  }

  protected override parse(text: string): Value {
    return parseFormattedDuration(text) ?? invalid(`Invalid duration ${text}: unable to parse ${text} as duration`);
  }
}

/** Texts of format date. */
export class DateForm extends ParsedForm {
  protected override readCommon(text: string): Value | undefined {
    return parseCommonDate(text);
  }

  protected override parse(text: string): Value {
    return readTime('date', text, () => parseTime(LAYOUTS.fullDate, text));
  }
}

/** Texts of format date-time. */
export class DateTimeForm extends ParsedForm {
  protected override readCommon(text: string): Value | undefined {
    // A time without a zone is one in UTC.
    return parseCommonTime(text) ?? parseCommonTime(`${text}Z`);
  }

  protected override parse(text: string): Value {
    return readTime('date-time', text, () => parseDateTime(text));
  }
}

function readTime(format: string, text: string, parse: () => Timestamp): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TimeError) return invalid(`Invalid ${format} formatted string ${text}: ${error.message}`);
    throw error;
  }
}

/** Longest text that is decoded time and again. */
const SHORT_BYTES = 32;

/** Padded base64 of the alphabet for URLs; upstream reads no other. Line breaks count for nothing. */
export class BytesForm extends ParsedForm {
  protected override readCommon(text: string): Value | undefined {
    return text.length <= SHORT_BYTES && base64Fault(text, '-_') === undefined ? decode(text) : undefined;
  }

  protected override parse(text: string): Value {
    const fault = base64Fault(text, '-_');
    if (fault === undefined) return decode(text);
    return invalid(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${fault}`);
  }
}

function decode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
