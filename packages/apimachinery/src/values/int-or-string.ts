import { ParseError } from '../text/parse-error.js';
import { quote } from '../text/quote.js';
import { atoiFault, parseInt64 } from './int64.js';

/** A value that is an int32 or a text, often a percentage: `8080`, `"http"`, `"25%"`. */
export type IntOrString = number | string;

const INT32_MIN = -(2n ** 31n);
const INT32_MAX = 2n ** 31n - 1n;

/** Parses text as an integer if it fits 32 bits; otherwise returns the text. */
export function parseIntOrString(text: string): IntOrString {
  const value = parseInt64(text);
  return value !== undefined && value >= INT32_MIN && value <= INT32_MAX ? Number(value) : text;
}

/**
 * An absolute number unchanged, or a percentage of `total`, rounded up or down. Throws a ParseError with upstream's
 * text if the value is absent or a text that is not a percentage.
 *
 * Upstream: GetScaledValueFromIntOrPercent in k8s.io/apimachinery/pkg/util/intstr/intstr.go
 */
export function scaledIntOrPercent(value: IntOrString | undefined, total: number, roundUp: boolean): number {
  if (value === undefined) throw new ParseError('nil value for IntOrString');
  if (typeof value === 'number') return value;
  const share = (percentOf(value) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

function percentOf(text: string): number {
  if (!text.endsWith('%')) {
    throw new ParseError('invalid value for IntOrString: invalid type: string is not a percentage');
  }
  const digits = text.slice(0, -1);
  const percent = parseInt64(digits);
  if (percent !== undefined) return Number(percent);
  throw new ParseError(`invalid value for IntOrString: invalid value ${quote(text)}: ${atoiFault(digits)}`);
}
