import { writeScalar } from '../../codec/json/stringify-json.js';
import { CappedErrors, TEXT_CAP } from '../../field/capped-errors.js';
import { compareKeys } from '../../json/compare-keys.js';
import { ForeignValue, NilList } from '../../json/foreign-value.js';
import { formatGoValue, goTypeName } from '../../json/go-value.js';
import { quote } from '../../text/quote.js';
import { type PathElement, printPathElement } from '../field-set/path-element.js';

/** An error of a value, with its path. */
interface TypeFault {
  readonly path: readonly PathElement[];
  readonly message: string;
}

/** Faults in order of detection: the first ones, and the number of the others. */
export class TypeFaults {
  readonly #capped = new CappedErrors<string>(TEXT_CAP);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The path is not kept. A message that takes work is only made if it is kept. */
  add(path: readonly PathElement[], message: string | (() => string)): void {
    this.#count++;
    if (this.#capped.isFull) this.#capped.skip();
    else this.#capped.add(printError({ path, message: typeof message === 'string' ? message : message() }));
  }

  /** Throws MergeTypeError unless there are none. */
  throwIfAny(): void {
    if (this.#count > 0) throw new MergeTypeError(this.#capped.list());
  }
}

/** A value that does not match its type. The message is upstream's: one line, or a list of them. */
export class MergeTypeError extends Error {
  /** Upstream: ValidationErrors in sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go */
  constructor(lines: readonly string[]) {
    super(lines.length === 1 ? lines[0] : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n'));
  }
}

function printError({ path, message }: TypeFault): string {
  return path.length === 0 ? message : `${path.map((element) => printPathElement(element)).join('')}: ${message}`;
}

/** The message for items with the same element. */
export function duplicateEntries(element: PathElement): string {
  return `duplicate entries for key ${printPathElement(element)}`;
}

/** The message for a value of the wrong shape. */
export function unexpected(expected: string, found: unknown): string {
  // Upstream reads integers beyond 64 bits as floats.
  const isFloat = typeof found === 'bigint' && BigInt.asIntN(64, found) !== found;
  const value = isFloat ? Number(found) : found;
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
  if (value instanceof NilList) return '[]interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object') return typeof value === 'number' ? formatGoValue(value) : writeScalar(value);
  if (value instanceof ForeignValue) return value.syntax;
  const object = value as { readonly [key: string]: unknown };
  const members = Object.keys(object)
    .sort(compareKeys)
    .map((key) => `${quote(key)}:${goSyntax(object[key])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}
