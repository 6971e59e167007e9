import { base64Fault } from '@apiserver/apimachinery/text';
import { parseFormattedDuration } from '../time/duration.js';
import { LAYOUTS, parseTime, TimeError } from '../time/go-time.js';
import { parseDateTime } from '../time/timestamp.js';
import { InvalidValue } from '../values/invalid-value.js';
import { Double } from '../values/number.js';
import { Duration, EvaluationError, Timestamp, type Value } from '../values/value.js';
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

export class BoolForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    return typeof json === 'boolean' ? json : invalid(`invalid data, expected bool, got ${goTypeOf(json)}`);
  }
}

export class IntForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    if (Number.isSafeInteger(json) && typeof json === 'number') return json;
    return typeof json === 'bigint' ? json : invalid(`invalid data, expected int, got ${goTypeOf(json)}`);
  }
}

export class DoubleForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    if (typeof json === 'number' || typeof json === 'bigint') return new Double(Number(json));
    return invalid(`invalid data, expected float, got ${goTypeOf(json)}`);
  }
}

export class IntOrStringForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    if (typeof json === 'string' || typeof json === 'bigint') return json;
    if (typeof json === 'number' && Number.isSafeInteger(json)) return json;
    return INT_OR_STRING_EXPECTED;
  }
}

const INT_OR_STRING_EXPECTED = invalid('invalid data, expected XIntOrString value to be either a string or integer');

export class StringForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    return typeof json === 'string'
      ? this.readText(json)
      : invalid(`invalid data, expected string, got ${goTypeOf(json)}`);
  }

  protected readText(text: string): Value {
    return text;
  }
}

export class DurationForm extends StringForm {
  protected override readText(text: string): Value {
    return parseFormattedDuration(text) ?? invalid(`Invalid duration ${text}: unable to parse ${text} as duration`);
  }
}

export class DateForm extends StringForm {
  protected override readText(text: string): Value {
    return readTime('date', text, () => parseTime(LAYOUTS.fullDate, text));
  }
}

export class DateTimeForm extends StringForm {
  protected override readText(text: string): Value {
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

/** Padded base64 of the alphabet for URLs; upstream reads no other. Line breaks count for nothing. */
export class BytesForm extends StringForm {
  protected override readText(text: string): Value {
    const fault = base64Fault(text, '-_');
    if (fault === undefined) return new Uint8Array(Buffer.from(text, 'base64url'));
    return invalid(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${fault}`);
  }
}
