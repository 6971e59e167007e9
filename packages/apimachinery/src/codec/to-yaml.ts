import { compareYamlKeys } from './yaml-key-order.js';
import { isSimpleKey, yamlStyle } from './yaml-scalar-style.js';

/** Text is folded at the first blank after this column. */
const BEST_WIDTH = 80;

/**
 * A JSON value as upstream's YAML: block style, keys sorted, two blanks of indent, lists not indented under their key,
 * long text folded; ends with a newline.
 *
 * Upstream: sigs.k8s.io/yaml JSONToYAML
 */
export function toYaml(value: unknown): string {
  const writer = new YamlWriter();
  writer.node(value, { indent: 0, place: 'root' });
  return writer.finish();
}

/** Where a node stands: its indent, and what was written just before it on the line. */
interface Place {
  readonly indent: number;
  readonly place: 'root' | 'value' | 'item' | 'complex';
}

class YamlWriter {
  #text = '';
  #lineStart = 0;

  finish(): string {
    return this.#text.endsWith('\n') ? this.#text : `${this.#text}\n`;
  }

  node(value: unknown, at: Place): void {
    if (Array.isArray(value)) this.#list(value, at);
    else if (typeof value === 'object' && value !== null) this.#map(value as { readonly [key: string]: unknown }, at);
    else if (typeof value === 'string') this.#scalar(value, at);
    else this.#write(scalarText(value), at);
  }

  #list(items: readonly unknown[], at: Place): void {
    if (items.length === 0) this.#write('[]', at);
    for (const [i, item] of items.entries()) {
      this.#startEntry(i === 0, at);
      this.#text += '-';
      this.node(item, { indent: at.indent + 2, place: 'item' });
    }
  }

  #map(object: { readonly [key: string]: unknown }, at: Place): void {
    const keys = Object.keys(object)
      .filter((key) => object[key] !== undefined)
      .sort(compareYamlKeys);
    if (keys.length === 0) this.#write('{}', at);
    const indent = at.place === 'value' ? at.indent + 2 : at.indent;
    for (const [i, key] of keys.entries()) {
      this.#startEntry(i === 0, { ...at, indent });
      this.#entry(key, object[key], indent);
    }
  }

  #entry(key: string, value: unknown, indent: number): void {
    if (isSimpleKey(key)) {
      this.#styled(key, indent, true);
      this.#text += ':';
      this.node(value, { indent, place: 'value' });
    } else {
      this.#text += '? ';
      this.#styled(key, indent + 2, false);
      this.#newLine(indent);
      this.#text += ':';
      this.node(value, { indent: indent + 2, place: 'complex' });
    }
  }

  /** A collection's first entry goes on the line of a `-` or a complex `:`; all others start a line. */
  #startEntry(first: boolean, at: Place): void {
    if (!first || at.place === 'value') this.#newLine(at.indent);
    else if (at.place !== 'root') this.#text += ' ';
  }

  #newLine(indent: number): void {
    if (!this.#text.endsWith('\n')) this.#text += '\n';
    this.#lineStart = this.#text.length;
    this.#text += ' '.repeat(indent);
  }

  #write(text: string, at: Place): void {
    this.#text += at.place === 'root' ? text : ` ${text}`;
  }

  #scalar(text: string, at: Place): void {
    if (at.place !== 'root') this.#text += ' ';
    const indent = at.place === 'value' || at.place === 'root' ? at.indent + 2 : at.indent;
    this.#styled(text, indent, false);
  }

  /** Writes text in its style; `indent` is where further lines of it begin. */
  #styled(text: string, indent: number, isKey: boolean): void {
    const style = yamlStyle(text, isKey);
    if (style === 'literal') this.#literal(text, indent);
    else if (style === 'double') this.#doubleQuoted(text, indent, isKey);
    else if (style === 'plain') this.#folded(text, indent, isKey);
    else this.#singleQuoted(text, indent, isKey);
  }

  #singleQuoted(text: string, indent: number, isKey: boolean): void {
    this.#text += "'";
    this.#folded(text.replaceAll("'", "''"), indent, isKey);
    this.#text += "'";
  }

  /** Breaks the line at single blanks beyond the best width. Quoted text does not break at its first or last character. */
  #folded(text: string, indent: number, isKey: boolean): void {
    let previousSpace = false;
    let index = 0;
    for (const character of text) {
      const inside = index > 0 && index < text.length - 1;
      if (
        character === ' ' &&
        !isKey &&
        !previousSpace &&
        inside &&
        this.#column() > BEST_WIDTH &&
        text[index + 1] !== ' '
      ) {
        this.#newLine(indent);
      } else this.#text += character;
      previousSpace = character === ' ';
      index += character.length;
    }
  }

  #doubleQuoted(text: string, indent: number, isKey: boolean): void {
    this.#text += '"';
    let previousSpace = false;
    let index = 0;
    for (const character of text) {
      const inside = index > 0 && index < text.length - 1;
      if (character === ' ' && !isKey && !previousSpace && inside && this.#column() > BEST_WIDTH) {
        this.#newLine(indent);
        if (text[index + 1] === ' ') this.#text += '\\';
      } else this.#text += escaped(character);
      previousSpace = character === ' ';
      index += character.length;
    }
    this.#text += '"';
  }

  #literal(text: string, indent: number): void {
    this.#text += `|${/^[ \n]/.test(text) ? '2' : ''}${chomping(text)}\n`;
    for (const [i, line] of text.split('\n').entries()) {
      if (i > 0) this.#text += '\n';
      if (line !== '') this.#text += ' '.repeat(indent) + line;
    }
    this.#lineStart = this.#text.lastIndexOf('\n') + 1;
  }

  #column(): number {
    let column = 0;
    for (let i = this.#lineStart; i < this.#text.length; i++)
      if ((this.#text.charCodeAt(i) & 0xfc00) !== 0xdc00) column++;
    return column;
  }
}

/** What a literal's header says about the line breaks at its end. */
function chomping(text: string): string {
  if (!text.endsWith('\n')) return '-';
  return text === '\n' || text.endsWith('\n\n') ? '+' : '';
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function escaped(character: string): string {
  const short = ESCAPES.get(character);
  if (short !== undefined) return short;
  if (/^[\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
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
