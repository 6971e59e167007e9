import { ParseError } from '@apiserver/apimachinery';
import type { Slice, Step } from './json-path.js';
import { filterOf } from './json-path-filter.js';

/**
 * The steps of a path as CRDs write it: `.spec.ports[0].name`, `.status.conditions[?(@.type=="Ready")].status`.
 * Throws a ParseError for what is none.
 *
 * Upstream: k8s.io/client-go/util/jsonpath/parser.go
 */
export function parseJsonPath(text: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const c = text[at];
    if (c === '.') {
      if (text[at + 1] === '.') {
        steps.push({ type: 'recursive' });
        at++;
      }
      at++;
      if (text[at] === '[' || at >= text.length) continue;
      const end = endOfName(text, at);
      steps.push(nameStep(text.slice(at, end)));
      at = end;
    } else if (c === '[') {
      const end = closingBracket(text, at);
      steps.push(bracketStep(text.slice(at + 1, end)));
      at = end + 1;
    } else if (c === '$' || c === '@') at++;
    else {
      const end = endOfName(text, at);
      steps.push(nameStep(text.slice(at, end)));
      at = end;
    }
  }
  return steps;
}

function nameStep(text: string): Step {
  const name = text.replace(/\\(.)/g, '$1');
  return name === '*' ? { type: 'wildcard' } : { type: 'field', name };
}

function endOfName(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '.' && text[at] !== '[') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** Brackets within brackets. Nobody writes more, and each is read by itself. */
const MAX_DEPTH = 100;

/** Quotes hide brackets. */
function closingBracket(text: string, open: number): number {
  let depth = 0;
  let quote: string | undefined;
  for (let at = open; at < text.length; at++) {
    const c = text[at];
    if (quote !== undefined) {
      if (c === '\\') at++;
      else if (c === quote) quote = undefined;
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '[') {
      if (++depth > MAX_DEPTH) throw new ParseError('nested too deeply');
    } else if (c === ']' && --depth === 0) return at;
  }
  throw new ParseError('unterminated array');
}

function bracketStep(text: string): Step {
  const inner = text.trim();
  if (inner === '*' || inner === '') return { type: 'wildcard' };
  if (inner.startsWith('?(') && inner.endsWith(')')) {
    return { type: 'filter', filter: filterOf(inner.slice(2, -1), parseJsonPath) };
  }
  const parts = inner.split(',').map((part) => part.trim());
  if (parts.every((part) => /^(['"]).*\1$/.test(part))) {
    return { type: 'union', names: parts.map((part) => part.slice(1, -1)) };
  }
  return { type: 'index', indexes: parts.map(sliceOf) };
}

function sliceOf(text: string): Slice {
  const match = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(text);
  if (match === null || text === '') throw new ParseError(`invalid array index ${text}`);
  const [, start = '', end, step] = match;
  const number = (part: string | undefined) => (part === undefined || part === '' ? undefined : Number(part));
  return { start: number(start), end: number(end), step: number(step) ?? 1, single: end === undefined };
}
