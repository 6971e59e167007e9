import { type CompilePattern, PatternError } from '@apiserver/apimachinery/patterns';
import { isParseError } from '@apiserver/apimachinery/text';
import { parseDuration, parseRFC3339 } from '@apiserver/apimachinery/values';
import type { Call, Constant, Literal } from '../ast/expression.js';

/**
 * The first argument of a call of the named function if it is a literal that can't be converted: a duration, a
 * timestamp, or a regular expression. So is a regular expression that `compile` refuses because those before it took
 * too long.
 *
 * Upstream: formatValidator in github.com/google/cel-go/cel/validator.go
 */
export function invalidLiteralArgument(
  name: string,
  { args: [argument] }: Call,
  compile: CompilePattern,
): Literal | undefined {
  return argument?.kind === 'literal' && !isValid(name, argument.value, compile) ? argument : undefined;
}

function isValid(name: string, value: Constant, compile: CompilePattern): boolean {
  switch (name) {
    case 'duration':
      return typeof value === 'string' && parses(() => parseDuration(value));
    case 'timestamp':
      return isTimestamp(value);
    case 'matches':
      return typeof value === 'string' && parses(() => compile(value));
    default:
      return true;
  }
}

/** Seconds since 1970 of the first moment of year 1, and of the last second of year 9999. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;

function isTimestamp(value: Constant): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return isInRange(value);
  return typeof value === 'string' && parses(() => isInRange(parseRFC3339(value).seconds));
}

function isInRange(seconds: number | bigint): boolean {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

/** False if a parser throws or returns false. */
function parses(parse: () => unknown): boolean {
  try {
    return parse() !== false;
  } catch (error) {
    if (isParseError(error) || error instanceof PatternError) return false;
    throw error;
  }
}
