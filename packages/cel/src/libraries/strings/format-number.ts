/** No double has more decimals. */
const MAX_DECIMALS = 1_074;

/** A double with a number of decimals, rounded half to even. */
export function formatFixed(value: number, decimals: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + fixedDigits(Math.abs(value), decimals);
}

/** A double with a number of decimals and commas between thousands, as in en_US. */
export function formatGrouped(value: number, precision: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const [whole = '', decimals = ''] = preciseDigits(Math.abs(value), precision).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${value < 0 ? '-' : ''}${grouped}${decimals === '' ? '' : `.${decimals}`}`;
}

/**
 * The digits of a double that is not negative. Upstream keeps 8 bits of a precision as the fewest decimals, and 16 bits
 * with a sign as the most. A negative one asks for the shortest digits.
 *
 * Upstream: SetScale in golang.org/x/text/internal/number/pattern.go
 */
function preciseDigits(value: number, precision: number): string {
  const [fewest, most] = [precision & 0xff, (precision << 16) >> 16];
  const digits = most < 0 ? shortestDigits(value) : fixedDigits(value, Math.min(most, MAX_DECIMALS));
  const [whole = '', decimals = ''] = digits.split('.');
  const kept = Math.max(fewest, decimals.replace(/0+$/, '').length);
  return `${whole}.${decimals.slice(0, kept).padEnd(kept, '0')}`;
}

function shortestDigits(value: number): string {
  const [, first = '', rest = '', exponent = ''] = /^(\d)(?:\.(\d+))?e(.+)$/.exec(value.toExponential()) ?? [];
  const point = Number(exponent) + 1;
  if (point <= 0) return `0.${'0'.repeat(-point)}${first}${rest}`;
  const digits = `${first}${rest}`.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * A double as `1.500000×10⁻⁰⁷`, with six decimals. Upstream takes the precision for the width.
 *
 * Upstream: Scientific in github.com/google/cel-go/ext/formatting.go
 */
export function formatScientific(value: number, width: number): string {
  const text = formatSpecial(value) ?? scientificText(value);
  return text.padStart(width);
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '∞' : '-∞';
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientificText(value: number): string {
  const [mantissa = '', exponent = ''] = scientificDigits(Math.abs(value)).split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  const raised = [...digits].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `${value < 0 ? '-' : ''}${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

/** Six decimals, rounded half to even: `toExponential` rounds a half up. */
function scientificDigits(value: number): string {
  const up = value.toExponential(6);
  const exact = value.toExponential(40);
  const [, kept = '', rest = '', exponent = ''] = /^(\d\.\d{6})(\d+)e(.+)$/.exec(exact) ?? [];
  const isTie = /^50*$/.test(rest) && Number.parseInt(kept.slice(-1), 10) % 2 === 0;
  return isTie ? `${kept}e${exponent}` : up;
}

/** The digits of a double that is not negative. */
function fixedDigits(value: number, decimals: number): string {
  const exact = Math.min(decimals, MAX_DECIMALS);
  const steps = stepsOf(value, exact)
    .toString()
    .padStart(exact + 1, '0');
  if (decimals === 0) return steps;
  const point = steps.length - exact;
  return `${steps.slice(0, point)}.${steps.slice(point).padEnd(decimals, '0')}`;
}

/** The double in steps of 10^-`decimals`, rounded half to even. */
function stepsOf(value: number, decimals: number): bigint {
  const { mantissa, exponent } = partsOf(value);
  const scaled = mantissa * 10n ** BigInt(decimals);
  if (exponent >= 0) return scaled << BigInt(exponent);
  const bits = BigInt(-exponent);
  const steps = scaled >> bits;
  const rest = scaled - (steps << bits);
  const half = 1n << (bits - 1n);
  const roundsUp = rest > half || (rest === half && steps % 2n === 1n);
  return roundsUp ? steps + 1n : steps;
}

/** A double as an integer times a power of two. */
function partsOf(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  if (exponent === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}
