import { sortSteps } from '../canonical/member-order.js';
import { YamlBytes } from './yaml-bytes.js';
import { compareYamlKeys, sortYamlKeys } from './yaml-key-order.js';
import { isSimpleKey, MAX_SIMPLE_KEY_LENGTH, type YamlStyle, yamlStyle } from './yaml-scalar-style.js';

/**
 * Encodes a JSON value in upstream's YAML: block style, keys sorted, an indent of two blanks, lists not indented under
 * their key, long text folded. It ends with a newline. It costs a few times as much as JSON, for any value and size.
 *
 * Upstream: sigs.k8s.io/yaml JSONToYAML
 */
export function encodeYaml(value: unknown): Uint8Array {
  const writer = new YamlWriter();
  writer.node(value, 0, 'root');
  return writer.finish();
}

/** The same in steps of a few milliseconds. The total cost is higher. */
export function* encodeYamlSteps(value: unknown): Generator<void, Uint8Array> {
  const writer = new YamlWriter();
  yield* writer.steps(value, 0, 'root');
  return writer.finish();
}

/** Entries that are written between two pauses. */
const SLICE_STEPS = 2_048;

const BLANK = 0x20;
const DASH = 0x2d;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The place of a node: the token before it on the line. */
type Place = 'root' | 'value' | 'item' | 'complex';

type Members = { readonly [key: string]: unknown };

/**
 * Maximum number of blanks in indents. Beyond them collections are written in flow style, and text on one line. A
 * thousand levels of a hundred thousand values would otherwise take hundreds of megabytes. No practical object comes
 * near, and the result reads back the same.
 */
const MAX_INDENTS = 8 * 1024 * 1024;

/** One more than the column after which text is folded. */
const WIDTH = 81;

class YamlWriter {
  readonly #out = new YamlBytes();
  /** Blanks in the indents of all collections and texts so far. */
  #indents = 0;
  /** Number of entries counted. */
  #written = 0;

  finish(): Uint8Array {
    return this.#out.finish();
  }

  node(value: unknown, indent: number, place: Place): void {
    if (typeof value === 'string') this.#scalar(value, indent, place);
    else if (typeof value !== 'object' || value === null) this.#write(scalarText(value), place);
    else if (Array.isArray(value)) this.#list(value, indent, place);
    else this.#map(value as Members, indent, place);
  }

  /** Writes a node in steps; a node in flow style is one step. */
  *steps(value: unknown, indent: number, place: Place): Generator<void> {
    if (isLongText(value)) yield* this.#longTextSteps(value, indent, place);
    else if (typeof value !== 'object' || value === null) this.node(value, indent, place);
    else if (Array.isArray(value)) yield* this.#listSteps(value, indent, place);
    else yield* this.#mapSteps(value as Members, indent, place);
  }

  /** Finds the style of a text in one step, and writes it in another. */
  *#longTextSteps(text: string, outer: number, place: Place): Generator<void> {
    yield;
    const style = yamlStyle(text, false);
    yield;
    if (place !== 'root') this.#out.character(BLANK);
    this.#inStyle(text, style, indentOfText(outer, place));
    yield;
  }

  *#listSteps(items: readonly unknown[], indent: number, place: Place): Generator<void> {
    if (items.length === 0 || !this.#affords(items.length, indent)) {
      this.#flow(items, place);
      return;
    }
    for (let i = 0; i < items.length; i++) {
      if (this.#isPause()) yield;
      this.#startEntry(i === 0, indent, place);
      this.#out.character(DASH);
      if (takesSteps(items[i])) yield* this.steps(items[i], indent + 2, 'item');
      else this.node(items[i], indent + 2, 'item');
    }
  }

  /** Values of complex keys, including long ones, are written in one step. */
  *#mapSteps(object: Members, outer: number, place: Place): Generator<void> {
    const keys = yield* sortSteps(Object.keys(object), sortYamlKeys, compareYamlKeys);
    const indent = place === 'value' ? outer + 2 : outer;
    if (!this.#affords(keys.length, indent)) {
      this.#flow(object, place);
      return;
    }
    let first = true;
    for (const key of keys) {
      const value = object[key];
      if (value === undefined) continue;
      if (this.#isPause()) yield;
      this.#startEntry(first, indent, place);
      first = false;
      if (takesSteps(value) && this.#simpleKey(key)) {
        this.#out.character(COLON);
        yield* this.steps(value, indent, 'value');
      } else this.#entry(key, value, indent);
    }
    if (first) this.#write('{}', place);
  }

  #isPause(): boolean {
    return ++this.#written % SLICE_STEPS === 0;
  }

  #list(items: readonly unknown[], indent: number, place: Place): void {
    if (items.length === 0 || !this.#affords(items.length, indent)) {
      this.#flow(items, place);
      return;
    }
    for (let i = 0; i < items.length; i++) {
      this.#startEntry(i === 0, indent, place);
      this.#out.character(DASH);
      this.node(items[i], indent + 2, 'item');
    }
  }

  #map(object: Members, outer: number, place: Place): void {
    const keys = sortYamlKeys(Object.keys(object));
    const indent = place === 'value' ? outer + 2 : outer;
    if (!this.#affords(keys.length, indent)) {
      this.#flow(object, place);
      return;
    }
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
    if (this.#simpleKey(key)) {
      this.#out.character(COLON);
      this.node(value, indent, 'value');
    } else {
      this.#out.ascii('? ');
      this.#styled(key, indent + 2);
      this.#out.freshLine(indent);
      this.#out.character(COLON);
      this.node(value, indent + 2, 'complex');
    }
  }

  /** A collection's first entry continues the line of a `-` or a complex `:`; all others start a line. */
  #startEntry(first: boolean, indent: number, place: Place): void {
    if (!first || place === 'value') this.#out.freshLine(indent);
    else if (place !== 'root') this.#out.character(BLANK);
  }

  #write(text: string, place: Place): void {
    if (place !== 'root') this.#out.character(BLANK);
    this.#out.ascii(text);
  }

  #scalar(text: string, outer: number, place: Place): void {
    if (place !== 'root') this.#out.character(BLANK);
    if (!this.#out.simple(text, false)) this.#styled(text, indentOfText(outer, place));
  }

  /** Writes a key that needs no `?`; returns false for others. */
  #simpleKey(key: string): boolean {
    if (key.length <= MAX_SIMPLE_KEY_LENGTH && this.#out.simple(key, true)) return true;
    if (!isSimpleKey(key)) return false;
    const style = yamlStyle(key, true);
    this.#out.line(key, style === 'single' || style === 'double' ? style : 'none');
    return true;
  }

  /** Writes text in its style; `indent` is that of its further lines. */
  #styled(text: string, indent: number): void {
    this.#inStyle(text, yamlStyle(text, false), indent);
  }

  #inStyle(text: string, style: YamlStyle, indent: number): void {
    const isLiteral = style === 'literal';
    const quotes = style === 'plain' ? 'none' : isLiteral ? 'double' : style;
    if (!this.#affords(isLiteral ? countBreaks(text) : text.length / Math.max(1, WIDTH - indent), indent)) {
      this.#out.line(text, quotes);
    } else if (isLiteral) {
      this.#out.ascii(`|${/^[ \n\u2028\u2029]/.test(text) ? '2' : ''}${chomping(text)}`);
      this.#out.literal(text, indent);
    } else this.#out.folded(text, quotes, indent);
  }

  /** Reports whether the budget allows this many more lines at an indent, and spends it. */
  #affords(lines: number, indent: number): boolean {
    const after = this.#indents + lines * indent;
    if (after > MAX_INDENTS) return false;
    this.#indents = after;
    return true;
  }

  /** Writes a collection on one line. */
  #flow(value: unknown, place: Place): void {
    if (place !== 'root') this.#out.character(BLANK);
    this.#flowNode(value);
  }

  #flowNode(value: unknown): void {
    if (typeof value === 'string') this.#out.line(value, 'double');
    else if (typeof value !== 'object' || value === null) this.#out.ascii(scalarText(value));
    else if (Array.isArray(value)) {
      this.#out.character(OPEN_BRACKET);
      for (let i = 0; i < value.length; i++) {
        if (i > 0) this.#out.ascii(', ');
        this.#flowNode(value[i]);
      }
      this.#out.character(CLOSE_BRACKET);
    } else this.#flowMap(value as Members);
  }

  #flowMap(object: Members): void {
    let separator = '';
    this.#out.character(OPEN_BRACE);
    for (const key of sortYamlKeys(Object.keys(object))) {
      if (object[key] === undefined) continue;
      this.#out.ascii(isSimpleKey(key) ? separator : `${separator}? `);
      this.#out.line(key, 'double');
      this.#out.ascii(isSimpleKey(key) ? ': ' : ' : ');
      this.#flowNode(object[key]);
      separator = ', ';
    }
    this.#out.character(CLOSE_BRACE);
  }
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The indent of a text's further lines. */
function indentOfText(outer: number, place: Place): number {
  return place === 'value' || place === 'root' ? outer + 2 : outer;
}

/** Characters from which a text takes milliseconds. */
const LONG = 128 * 1024;

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LONG;
}

/** True for lists, maps and long text. */
function takesSteps(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : isLongText(value);
}

/** The chomping indicator of a literal's header, for the line breaks at its end. */
function chomping(text: string): string {
  if (!isBreakAt(text, text.length - 1)) return '-';
  return text.length === 1 || isBreakAt(text, text.length - 2) ? '+' : '';
}

function isBreakAt(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\u2028' || text[at] === '\u2029';
}

function scalarText(value: unknown): string {
  return typeof value === 'number' && !isShownWhole(value) ? floatText(value) : String(value ?? null);
}

/** Reports whether a number is an integer within 64 bits. */
function isShownWhole(value: number): boolean {
  return Number.isInteger(value) && value < 2 ** 64 && value > -(2 ** 63);
}

/** Shortest digits; below −4 or above 5 an exponent of at least two digits. */
function floatText(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value);
  const text = value.toExponential();
  const sign = text.lastIndexOf('e') + 1;
  return sign + 2 < text.length ? text : `${text.slice(0, sign + 1)}0${text.slice(sign + 1)}`;
}
