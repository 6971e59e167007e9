import { inSlices } from '@apiserver/apimachinery/clock';
import { BOUND_LABEL, type GatheredFamily, type GatheredLabel } from './gather-families.js';

/**
 * Families in Prometheus's text format. It takes turns of the event loop if there are many series.
 *
 * Upstream: github.com/prometheus/common/expfmt/text_create.go
 */
export async function textExposition(families: readonly GatheredFamily[]): Promise<string> {
  return inSlices(textSteps(families));
}

function* textSteps(families: readonly GatheredFamily[]): Generator<void, string> {
  let text = '';
  for (const { name, help, type, metrics } of families) {
    text += `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type}\n`;
    const bounds = new Bounds(BOUND_LABEL[type]);
    for (const { labels, samples } of metrics) {
      const common = labels.map(labelText).join(',');
      const own = common === '' ? '' : `{${common}}`;
      const beforeBound = common === '' ? '{' : `{${common},`;
      for (const { suffix, bound, value } of samples) {
        const shown = bound === undefined ? own : beforeBound + bounds.text(bound);
        text += `${name}${suffix}${shown} ${formatNumber(value)}\n`;
      }
      yield;
    }
  }
  return text;
}

/** The texts of the last label of buckets or quantiles. The label sets of a family have the same. */
class Bounds {
  readonly #label: string | undefined;
  readonly #texts = new Map<number, string>();

  constructor(label: string | undefined) {
    this.#label = label;
  }

  text(bound: number): string {
    const known = this.#texts.get(bound);
    if (known !== undefined) return known;
    const text = `${this.#label}="${formatNumber(bound)}"}`;
    this.#texts.set(bound, text);
    return text;
  }
}

function labelText({ name, value }: GatheredLabel): string {
  return `${name}="${escaped(value, /[\\\n"]/g)}"`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

/** The exponents of numbers that Go's `%g` prints without one. */
const PLAIN_EXPONENTS = { least: -4, most: 5 };

/** The first integer that Go's `%g` prints with an exponent. */
const FIRST_WITH_EXPONENT = 1_000_000;

/** A number as Go's `strconv.FormatFloat(x, 'g', -1, 64)` prints it. Negative zero is zero. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Number.isInteger(value) && Math.abs(value) < FIRST_WITH_EXPONENT) return String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= PLAIN_EXPONENTS.least && power <= PLAIN_EXPONENTS.most) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
