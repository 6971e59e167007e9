import { YamlBytes } from './yaml-bytes.js';
import { sortYamlKeys } from './yaml-key-order.js';
import { isPlainWord, isSimpleKey, yamlStyle } from './yaml-scalar-style.js';

/**
 * A JSON value as upstream's YAML: block style, keys sorted, two blanks of indent, lists not indented under their key,
 * long text folded; ends with a newline. It costs a few times what JSON costs, of any value and size.
 *
 * Upstream: sigs.k8s.io/yaml JSONToYAML
 */
export function encodeYaml(value: unknown): Uint8Array {
  const writer = new YamlWriter();
  writer.node(value, 0, 'root');
  return writer.finish();
}

/** Where a node stands: what was written just before it on the line. */
type Place = 'root' | 'value' | 'item' | 'complex';

type Members = { readonly [key: string]: unknown };

class YamlWriter {
  readonly #out = new YamlBytes();

  finish(): Uint8Array {
    return this.#out.finish();
  }

  node(value: unknown, indent: number, place: Place): void {
    if (typeof value === 'string') this.#scalar(value, indent, place);
    else if (typeof value !== 'object' || value === null) this.#write(scalarText(value), place);
    else if (Array.isArray(value)) this.#list(value, indent, place);
    else this.#map(value as Members, indent, place);
  }

  #list(items: readonly unknown[], indent: number, place: Place): void {
    if (items.length === 0) this.#write('[]', place);
    for (let i = 0; i < items.length; i++) {
      this.#startEntry(i === 0, indent, place);
      this.#out.ascii('-');
      this.node(items[i], indent + 2, 'item');
    }
  }

  #map(object: Members, outer: number, place: Place): void {
    const keys = sortYamlKeys(Object.keys(object));
    const indent = place === 'value' ? outer + 2 : outer;
    let first = true;
    for (const key of keys) {
      const value = object[key];
      if (value === undefined) continue;
      this.#startEntry(first, indent, place);
      this.#entry(key, value, indent);
      first = false;
    }
    if (first) this.#write('{}', place);
  }

  #entry(key: string, value: unknown, indent: number): void {
    if (isSimpleKey(key)) {
      if (isPlainWord(key)) this.#out.ascii(key);
      else this.#key(key);
      this.#out.ascii(':');
      this.node(value, indent, 'value');
    } else {
      this.#out.ascii('? ');
      this.#styled(key, indent + 2);
      this.#out.newLine(indent);
      this.#out.ascii(':');
      this.node(value, indent + 2, 'complex');
    }
  }

  /** A collection's first entry goes on the line of a `-` or a complex `:`; all others start a line. */
  #startEntry(first: boolean, indent: number, place: Place): void {
    if (!first || place === 'value') this.#out.newLine(indent);
    else if (place !== 'root') this.#out.ascii(' ');
  }

  #write(text: string, place: Place): void {
    if (place !== 'root') this.#out.ascii(' ');
    this.#out.ascii(text);
  }

  #scalar(text: string, outer: number, place: Place): void {
    if (isPlainWord(text)) {
      this.#write(text, place);
      return;
    }
    if (place !== 'root') this.#out.ascii(' ');
    this.#styled(text, place === 'value' || place === 'root' ? outer + 2 : outer);
  }

  #key(text: string): void {
    const style = yamlStyle(text, true);
    this.#out.line(text, style === 'single' || style === 'double' ? style : 'none');
  }

  /** Writes text in its style; `indent` is where further lines of it begin. */
  #styled(text: string, indent: number): void {
    const style = yamlStyle(text, false);
    if (style === 'literal') {
      this.#out.ascii(`|${/^[ \n]/.test(text) ? '2' : ''}${chomping(text)}`);
      this.#out.literal(text, indent);
    } else this.#out.folded(text, style === 'plain' ? 'none' : style, indent);
  }
}

/** The chomping indicator of a literal's header, for the line breaks at its end. */
function chomping(text: string): string {
  if (!text.endsWith('\n')) return '-';
  return text === '\n' || text.endsWith('\n\n') ? '+' : '';
}

function scalarText(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? floatText(value) : String(value ?? null);
}

/** Shortest digits; an exponent of two digits at least when it is below −4 or above 5. */
function floatText(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
