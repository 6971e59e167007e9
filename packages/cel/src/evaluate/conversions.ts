import { tryParseBool } from '@apiserver/apimachinery/text';
import { parseWork } from '../libraries/parse-work.js';
import { formatDuration, parseDuration } from '../time/duration.js';
import { formatTimestamp, parseTimestamp, timestampOfSeconds, unixSeconds } from '../time/timestamp.js';
import { conversionError, INTEGER_OVERFLOW, UNSIGNED_OVERFLOW } from '../values/errors.js';
import { formatShortest, parseFloating, parseInteger } from '../values/go-number.js';
import { type Implementations, implement } from '../values/implementation.js';
import { inRange, SIGNED, UNSIGNED } from '../values/integer.js';
import { Double, type Int, intOf, Uint } from '../values/number.js';
import { EvaluationError, type Result, type Value } from '../values/value.js';

const DURATION = 'google.protobuf.Duration';
const TIMESTAMP = 'google.protobuf.Timestamp';

/** Work of reading a duration or a timestamp. */
const PARSE_WORK = 70;
/** Work of reading a number or bytes. */
const NUMERAL_WORK = parseWork(20, 0.1);
const BYTES_WORK = parseWork(20, 0.05);
/** Work of writing a double. */
const NUMBER_WORK = 40;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const INVALID_UTF8 = new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');

const identity = (value: Value): Result => value;

/** The conversions between types. Upstream: ConvertToType in github.com/google/cel-go/common/types */
export const CONVERSIONS: Implementations = {
  bool_to_bool: implement(['bool'], identity),
  string_to_bool: implement(['string'], boolOf),
  bytes_to_bytes: implement(['bytes'], identity),
  string_to_bytes: implement(['string'], (text) => new Uint8Array(Buffer.from(text)), undefined, BYTES_WORK),
  double_to_double: implement(['double'], identity),
  int64_to_double: implement(['int'], (value) => new Double(Number(value))),
  string_to_double: implement(['string'], doubleOf, undefined, NUMERAL_WORK),
  uint64_to_double: implement(['uint'], ({ value }) => new Double(Number(value))),
  duration_to_duration: implement(['duration'], identity),
  int64_to_duration: implement(['int'], () => conversionError('int', DURATION)),
  string_to_duration: implement(
    ['string'],
    (text) => parseDuration(text) ?? conversionError('string', DURATION),
    undefined,
    PARSE_WORK,
  ),
  to_dyn: implement(['any'], identity),
  int64_to_int64: implement(['int'], identity),
  double_to_int64: implement(['double'], ({ value }) => intOfDouble(value)),
  duration_to_int64: implement(['duration'], ({ nanoseconds }) => nanoseconds),
  string_to_int64: implement(['string'], (text) => integerOfText(text), undefined, NUMERAL_WORK),
  timestamp_to_int64: implement(['timestamp'], unixSeconds),
  uint64_to_int64: implement(['uint'], ({ value }) => inRange(BigInt(value), SIGNED)),
  string_to_string: implement(['string'], identity),
  bool_to_string: implement(['bool'], String),
  bytes_to_string: implement(['bytes'], textOfBytes),
  double_to_string: implement(['double'], ({ value }) => formatShortest(value), undefined, NUMBER_WORK),
  duration_to_string: implement(['duration'], formatDuration),
  int64_to_string: implement(['int'], String),
  timestamp_to_string: implement(['timestamp'], formatTimestamp),
  uint64_to_string: implement(['uint'], ({ value }) => String(value)),
  timestamp_to_timestamp: implement(['timestamp'], identity),
  int64_to_timestamp: implement(['int'], timestampOfSeconds),
  string_to_timestamp: implement(
    ['string'],
    (text) => parseTimestamp(text) ?? conversionError('string', TIMESTAMP),
    undefined,
    PARSE_WORK,
  ),
  uint64_to_uint64: implement(['uint'], identity),
  double_to_uint64: implement(['double'], ({ value }) => uintOfDouble(value)),
  int64_to_uint64: implement(['int'], uintOf),
  string_to_uint64: implement(['string'], uintOfText, undefined, NUMERAL_WORK),
};

function boolOf(text: string): Result {
  return tryParseBool(text) ?? conversionError('string', 'bool');
}

function doubleOf(text: string): Result {
  const value = parseFloating(text);
  return value === undefined ? conversionError('string', 'double') : new Double(value);
}

function integerOfText(text: string): Int | EvaluationError {
  const value = parseInteger(text, true);
  const result = value === undefined ? undefined : inRange(BigInt(value), SIGNED);
  return result === undefined || result instanceof EvaluationError ? conversionError('string', 'int') : result;
}

function uintOfText(text: string): Result {
  const value = parseInteger(text, false);
  const result = value === undefined ? undefined : inRange(BigInt(value), UNSIGNED);
  return result === undefined || result instanceof EvaluationError
    ? conversionError('string', 'uint')
    : new Uint(result);
}

function uintOf(value: Int): Result {
  return value < 0 ? UNSIGNED_OVERFLOW : new Uint(value);
}

/** The bounds themselves are out of range, since doubles beside them are not exact. */
function intOfDouble(value: number): Result {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return INTEGER_OVERFLOW;
  return intOf(BigInt(Math.trunc(value)));
}

function uintOfDouble(value: number): Result {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return UNSIGNED_OVERFLOW;
  return new Uint(intOf(BigInt(Math.trunc(value))));
}

function textOfBytes(bytes: Uint8Array): Result {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return INVALID_UTF8;
    throw error;
  }
}
