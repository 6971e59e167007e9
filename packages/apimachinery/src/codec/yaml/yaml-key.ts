import { DecodeError } from '../../errors/decode-error.js';
import { compareKeys } from '../../json/compare-keys.js';
import { goSyntax } from '../../json/go-syntax.js';
import { quote } from '../../text/quote.js';
import type { Json } from '../../types/json.js';
import type { YamlScalar } from './yaml-scalar.js';

const MAX_INT64 = 2n ** 63n - 1n;

/** The error of a key that upstream has no text for; undefined for others. `value` gives its value. */
export function keyError({ value: key }: YamlScalar, value: () => Json): DecodeError | undefined {
  if (key !== null && (typeof key !== 'bigint' || key <= MAX_INT64)) return undefined;
  const shown = key === null ? '%!s(<nil>), key: <nil>' : `uint64, key: 0x${key.toString(16)}`;
  const json = value();
  const syntax = json === null ? '<nil>' : goSyntax(json);
  return new DecodeError('syntax', `unsupported map key of type: ${shown}, value: ${syntax}`);
}

/** A key as text. */
export function keyText({ tag, value }: YamlScalar): string {
  return tag === 'float' ? floatKey(Number(value)) : String(value);
}

/** A key as messages about duplicates show it. */
export function printedKey(value: YamlScalar['value']): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' && !Number.isFinite(value) ? goFloatName(value) : String(value);
}

/** Throws DecodeError for the first number that JSON lacks. A later value of the same key may have replaced others. */
export function refuseInfinite(value: Json): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new DecodeError('syntax', `json: unsupported value: ${goFloatName(value)}`);
  }
  if (Array.isArray(value)) value.forEach(refuseInfinite);
  else if (typeof value === 'object' && value !== null) {
    for (const [, member] of Object.entries<Json>(value).sort(([a], [b]) => compareKeys(a, b))) refuseInfinite(member);
  }
}

function goFloatName(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** Digits that tell all numbers of 32 bits apart. */
const MAX_DIGITS = 9;

/**
 * A number with a point or an exponent as the text of a key. Upstream rounds it to 32 bits: `123456789.5` becomes
 * `1.2345679e+08`.
 *
 * Upstream: convertToJSONableObject in sigs.k8s.io/yaml, and strconv.FormatFloat of Go
 */
function floatKey(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(single)) return '.nan';
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  if (Object.is(single, -0)) return '-0';
  const shortest = shortestOf(single);
  const [mantissa = '', exponent = ''] = shortest.split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(shortest));
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function shortestOf(single: number): string {
  for (let digits = 0; digits < MAX_DIGITS; digits++) {
    const text = single.toExponential(digits);
    if (Math.fround(Number(text)) === single) return text;
  }
  return single.toExponential(MAX_DIGITS);
}
