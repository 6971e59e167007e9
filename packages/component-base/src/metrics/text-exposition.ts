import { BOUND_LABEL, type GatheredFamily, type GatheredLabel } from './gather-families.js';

/** Families in Prometheus's text format. Upstream: github.com/prometheus/common/expfmt/text_create.go */
export function textExposition(families: readonly GatheredFamily[]): string {
  const lines: string[] = [];
  for (const { name, help, type, metrics } of families) {
    lines.push(`# HELP ${name} ${escaped(help, /[\\\n]/g)}`, `# TYPE ${name} ${type}`);
    for (const { labels, samples } of metrics) {
      const common = labels.map(labelText);
      const own = common.length === 0 ? '' : `{${common.join(',')}}`;
      for (const { suffix, bound, value } of samples) {
        const shown =
          bound === undefined ? own : `{${[...common, `${BOUND_LABEL[type]}="${formatNumber(bound)}"`].join(',')}}`;
        lines.push(`${name}${suffix}${shown} ${formatNumber(value)}`);
      }
    }
  }
  return lines.map((line) => `${line}\n`).join('');
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
