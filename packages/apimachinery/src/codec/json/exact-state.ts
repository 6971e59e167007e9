import { CappedErrors, TEXT_CAP } from '../../field/capped-errors.js';
import { quote } from '../../text/quote.js';
import type { Members } from '../canonical/canonical-context.js';
import type { JsonCursor } from './json-cursor.js';

/** Maximum number of strict errors. As upstream, nothing tells how many more there were. */
const MAX_STRICT_ERRORS = 100;

/**
 * UTF-16 units of the paths of strict errors that are made, also of equal ones: a key that comes again and again below
 * long ones would cost megabytes each time.
 */
const MAX_PATHS = 4 * 1024 * 1024;

/** Options of the exact decoder. */
export interface ExactOptions {
  /** True if unknown and duplicate fields are recorded. */
  readonly strict: boolean;
  /** Values decoded between two pauses. */
  readonly sliceSteps: number;
}

/** State of the exact decoder: its position in the text and in the types, and the errors found. */
export class ExactState {
  readonly cursor: JsonCursor;
  readonly options: ExactOptions;
  /** The first type error; decoding continues to the end, as upstream. */
  typeError: string | undefined;
  /** Empty lists and maps that were left out, and quantities of another notation. */
  uncanonical = 0;
  /** Maps into which a later duplicate was merged; their members may be out of order. */
  readonly reopened = new Set<Members>();
  readonly #errors = new CappedErrors(TEXT_CAP);
  readonly #seen = new Set<string>();
  /** UTF-16 units that the paths of strict errors had. */
  #paths = 0;
  readonly #unknownPaths: string[] = [];
  /** Keys and indices from the root to the cursor. Paths are only built for errors. */
  readonly #path: (string | number)[] = [];
  /** The fields on that path, with the struct of each. */
  readonly #fields: { readonly struct: string; readonly name: string }[] = [];
  readonly #around: ExactState | undefined;
  #steps = 0;

  /** `around`: of a decoder whose value this one decodes apart from it. */
  constructor(cursor: JsonCursor, options: ExactOptions, around?: ExactState) {
    this.cursor = cursor;
    this.options = options;
    this.#around = around;
  }

  get strictErrors(): readonly string[] {
    return this.#errors.list();
  }

  /** Paths of the unknown fields among the strict errors, as they are. */
  get unknownPaths(): readonly string[] {
    return this.#unknownPaths;
  }

  /** Counts a value; returns true if it is time for a pause. */
  isPause(): boolean {
    if (++this.#steps < this.options.sliceSteps) return false;
    this.#steps = 0;
    return true;
  }

  /** Enters a struct's field, perhaps within inline structs; `leaveField` leaves it. */
  enterField(struct: string, name: string, embedding = ''): void {
    this.#path.push(name);
    this.#fields.push({ struct, name: embedding + name });
  }

  leaveField(): void {
    this.#path.pop();
    this.#fields.pop();
  }

  /** The same for a key of a map or an element of a list, which type errors do not name. */
  enter(step: string | number): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  saveStrictError(what: 'unknown field' | 'duplicate field', key: string): void {
    if (!this.options.strict || this.#seen.size >= MAX_STRICT_ERRORS) return;
    if (this.#errors.isFull) {
      this.#errors.skip();
      return;
    }
    const path = this.#child(key);
    this.#paths += path.length;
    if (this.#paths > MAX_PATHS) {
      this.#errors.skip();
      return;
    }
    const text = `${what} ${quote(path)}`;
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#errors.add(text);
    if (what === 'unknown field') this.#unknownPaths.push(path);
  }

  saveError(message: string): void {
    this.typeError ??= message;
  }

  saveTypeError(value: string, goType: string): void {
    this.typeError ??= this.typeErrorText(value, goType);
  }

  typeErrorText(value: string, goType: string): string {
    const fields = this.#fieldsAround();
    const field = fields.map(({ name }) => name).join('.');
    const { struct = '' } = this.#outermost().#fields.at(-1) ?? fields.at(-1) ?? {};
    const where = struct === '' && field === '' ? 'Go value' : `Go struct field ${struct}.${field}`;
    return `json: cannot unmarshal ${value} into ${where} of type ${goType}`;
  }

  #fieldsAround(): readonly { readonly struct: string; readonly name: string }[] {
    return this.#around === undefined ? this.#fields : [...this.#around.#fieldsAround(), ...this.#fields];
  }

  #outermost(): ExactState {
    return this.#around === undefined ? this : this.#around.#outermost();
  }

  #child(key: string): string {
    let path = '';
    for (const step of this.#path) {
      path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
    }
    return path === '' ? key : `${path}.${key}`;
  }
}
