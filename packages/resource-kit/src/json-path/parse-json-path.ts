import { ParseError } from '@apiserver/apimachinery/text';
import { type Filter, type JsonPath, type Path, type Slice, type Step, TypedNumber } from './json-path.js';
import { unquote } from './unquote.js';

/**
 * Parses a path as in CRDs: `.spec.ports[0].name`, `.status.conditions[?(@.type=="Ready")].status`. Throws a
 * ParseError for an invalid path.
 *
 * Upstream: k8s.io/client-go/util/jsonpath/parser.go
 */
export function parseJsonPath(text: string): JsonPath {
  return new JsonPathParser(`{${text}}`).actions();
}

/** Parses the single path of an operand. */
function partOf(text: string): Path {
  return parseJsonPath(text)[0] ?? [];
}

const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

class JsonPathParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  actions(): JsonPath {
    const actions: Path[] = [];
    for (let open = this.#text.indexOf('{'); open !== -1; open = this.#text.indexOf('{', this.#at)) {
      this.#at = open + 1;
      actions.push(this.#action());
    }
    return actions;
  }

  #action(): Path {
    const steps: Step[] = [];
    while (!this.#skips('}')) {
      if (this.#skips('[?(')) steps.push({ type: 'filter', filter: this.#filter() });
      else if (this.#skips('..')) {
        if (steps.at(-1)?.type === 'recursive') throw new ParseError('invalid multiple recursive descent');
        steps.push({ type: 'recursive' });
        if (isAlphanumeric(this.#peek())) steps.push(this.#field());
      } else steps.push(...this.#step());
    }
    return steps;
  }

  #step(): readonly Step[] {
    const c = this.#peek();
    if (/[+\-\p{Nd}]/u.test(c)) return [this.#number()];
    if (isAlphanumeric(c)) return [this.#identifier()];
    this.#at += c.length;
    switch (c) {
      case '':
      case '\r':
      case '\n':
        throw new ParseError('unclosed action');
      case ' ':
      case '@':
      case '$':
        return [];
      case '[':
        return this.#brackets();
      case '"':
      case "'":
        return [this.#quoted(c)];
      case '.':
        return [this.#field()];
      default:
        throw new ParseError(`unrecognized character in action: ${codePointText(c)}`);
    }
  }

  /** Reads a name up to its terminator; a backslash escapes the next character. */
  #field(): Step {
    const start = this.#at;
    for (let c = this.#peek(); !isTerminator(c); c = this.#peek()) {
      this.#at += c.length;
      if (c === '\\') this.#at += this.#peek().length;
    }
    const name = this.#text.slice(start, this.#at);
    return name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') };
  }

  #identifier(): Step {
    const start = this.#at;
    for (let c = this.#peek(); !isTerminator(c); c = this.#peek()) this.#at += c.length;
    const name = this.#text.slice(start, this.#at);
    if (name === 'true' || name === 'false') return { type: 'constant', value: name === 'true' };
    return { type: 'identifier', name };
  }

  #number(): Step {
    const [text = ''] = /^[+-]?[.\p{Nd}]*/u.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += text.length;
    if (!DECIMAL.test(text)) throw new ParseError(`cannot parse number ${text}`);
    const value = Number(text);
    const isInt = !text.includes('.') && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
    return { type: 'constant', value: new TypedNumber(isInt ? 'int' : 'float', value) };
  }

  #quoted(quote: string): Step {
    const start = this.#at;
    for (; ; this.#at++) {
      const c = this.#text[this.#at];
      if (c === undefined || c === '\n') throw new ParseError('unterminated quoted string');
      if (c === quote && this.#text[this.#at - 1] !== '\\') break;
    }
    return { type: 'constant', value: unquote(this.#text.slice(start, this.#at++), quote) };
  }

  /** Reads up to the next bracket, regardless of nesting. */
  #brackets(): readonly Step[] {
    const end = this.#text.indexOf(']', this.#at);
    const inner = this.#text.slice(this.#at, end);
    if (end === -1 || inner.includes('\n')) throw new ParseError('unterminated array');
    this.#at = end + 1;
    const parts = inner.split(',');
    if (parts.length > 1) return [{ type: 'union', paths: parts.map((part) => partOf(`[${trimmed(part)}]`)) }];
    const key = /^'([^']*)'$/.exec(inner);
    return key === null ? [{ type: 'slice', slice: sliceOf(inner === '*' ? ':' : inner) }] : partOf(`.${key[1] ?? ''}`);
  }

  #filter(): Filter {
    const text = this.#filterText();
    const [, left, operator, right] = COMPARISON.exec(text) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      return { left: partOf(text), operator: 'exists', right: [] };
    }
    return { left: partOf(left), operator, right: partOf(right) };
  }

  /** Reads up to a parenthesis outside of the first quoted string. */
  #filterText(): string {
    const start = this.#at;
    let pair: string | undefined;
    let closed = false;
    for (; ; this.#at++) {
      const c = this.#text[this.#at];
      if (c === undefined || c === '\n') throw new ParseError('unterminated filter');
      if (c === ')' && (pair !== undefined) === closed) break;
      if (c !== '"' && c !== "'") continue;
      if (pair === undefined) pair = c;
      else if (c === pair && this.#text[this.#at - 1] !== '\\') closed = true;
    }
    const text = this.#text.slice(start, this.#at++);
    if (!this.#skips(']')) throw new ParseError('unclosed array expect ]');
    return text;
  }

  /** The next character; empty at the end. */
  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #skips(prefix: string): boolean {
    const skips = this.#text.startsWith(prefix, this.#at);
    if (skips) this.#at += prefix.length;
    return skips;
  }
}

/** Upstream: the verb %#U of Go's fmt */
function codePointText(c: string): string {
  const hex = (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(c) ? `U+${hex} '${c}'` : `U+${hex}`;
}

function isTerminator(c: string): boolean {
  return c === '' || ' \t\r\n.,[]$@{}'.includes(c);
}

function isAlphanumeric(c: string): boolean {
  return /[_\p{L}\p{Nd}]/u.test(c);
}

function trimmed(part: string): string {
  return part.replace(/^ +|(?<! ) +$/g, '');
}

function sliceOf(text: string): Slice {
  const match = SLICE.exec(text);
  if (match === null) throw new ParseError(`invalid array index ${text}`);
  const [, start, end, step] = match;
  return {
    start: start === '' ? undefined : indexOf(start ?? ''),
    end: end === undefined || end === ':' ? undefined : indexOf(end.slice(1)),
    step: step === undefined || step === ':' ? undefined : indexOf(step.slice(1)),
    single: end === undefined,
  };
}

function indexOf(text: string): number {
  const index = Number(text);
  if (text === '-' || !Number.isSafeInteger(index)) throw new ParseError(`array index ${text} is not a number`);
  return index;
}
