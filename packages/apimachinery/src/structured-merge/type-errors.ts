import { compareKeys } from '../codec/compare-keys.js';
import { writeScalar } from '../codec/stringify-json.js';
import { formatGoValue, goTypeName } from '../strategic-merge/go-value.js';
import { quote } from '../text/quote.js';
import { type PathElement, printPathElement } from './path-element.js';

/** One thing wrong with a value, and where. */
export interface TypeFault {
  readonly path: readonly PathElement[];
  readonly message: string;
}

/** A value that is not of its type. The message is upstream's: one line, or a list of them. */
export class MergeTypeError extends Error {
  readonly errors: readonly TypeFault[];

  /** Upstream: ValidationErrors in sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go */
  constructor(errors: readonly TypeFault[]) {
    const lines = errors.map(printError);
    super(lines.length === 1 ? lines[0] : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n'));
    this.errors = errors;
  }
}

function printError({ path, message }: TypeFault): string {
  return path.length === 0 ? message : `${path.map(printPathElement).join('')}: ${message}`;
}

/** What is said of items with the same element. */
export function duplicateEntries(element: PathElement): string {
  return `duplicate entries for key ${printPathElement(element)}`;
}

/** What is said of a value that should have been of another shape. */
export function unexpected(expected: string, value: unknown): string {
  switch (expected) {
    case 'numeric':
      return `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'string':
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'untyped':
      return `expected any scalar, got &{${formatGoValue(value)}}`;
    default:
      return `expected ${expected}, got &{${formatGoValue(value)}}`;
  }
}

/** A JSON value as Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object') return typeof value === 'number' ? formatGoValue(value) : writeScalar(value);
  const object = value as { readonly [key: string]: unknown };
  const members = Object.keys(object)
    .sort(compareKeys)
    .map((key) => `${quote(key)}:${goSyntax(object[key])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}
