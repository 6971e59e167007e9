import { inSlices } from '@apiserver/apimachinery/clock';
import { formatGoFloat } from '@apiserver/apimachinery/text';
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
        text += `${name}${suffix}${shown} ${formatGoFloat(value)}\n`;
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
    const text = `${this.#label}="${formatGoFloat(bound)}"}`;
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
