import { newGenericServerResponse } from '../errors/generic-server-response.js';
import { cloneJson, cloneJsonSteps } from '../json/clone-json.js';
import { jsonTypeName } from '../json/go-value.js';
import { getOwn, setOwn } from '../json/set-own.js';
import { compactJsonBytes } from '../text/compact-json.js';
import { escapeHtml } from '../text/escape-html.js';
import { quote } from '../text/quote.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import type { JsonPatchOperation } from './decode-json-patch.js';
import { EditedLists } from './edited-lists.js';
import { JsonPatchFault } from './json-patch-fault.js';
import { listIndex, parseJsonPointer } from './json-pointer.js';
import type { WrittenValues } from './written-values.js';

/**
 * Maximum number of bytes that the `copy` operations of one patch may add: a small patch must not make a huge object.
 */
export const MAX_JSON_PATCH_COPY_BYTES = 3 * 1024 * 1024;

/** A copy of this many bytes is made in steps. */
const LARGE_COPY = 64 * 1024;

type Container = Json[] | JsonObject;

/** Operations between two points at which other work may run. */
const OPERATIONS_PER_STEP = 500;

/**
 * Applies a JSON patch (RFC 6902) and returns the new document; the old one and the patch are not changed. Throws a
 * StatusError when an operation does not apply: 422 with a message that, as upstream, does not name the operation.
 *
 * It deviates from the RFC like upstream: `replace` sets missing object members, a missing `value` is null, and `copy`
 * of a missing object member copies null. Negative indices count from the end, and only an object or a list can replace
 * the whole document.
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4
 */
export function applyJsonPatch(document: DeepReadonly<Json>, operations: readonly JsonPatchOperation[]): Json {
  const patcher = new Patcher(cloneJson(document) as Json);
  try {
    for (const operation of operations) patcher.apply(operation);
  } catch (error) {
    throw asStatus(error);
  }
  return patcher.result();
}

/** The 422 for a fault of an operation. */
export function asStatus(error: unknown): unknown {
  if (!(error instanceof JsonPatchFault)) return error;
  return newGenericServerResponse({ code: 422, serverMessage: error.message });
}

/** The same in steps. Takes ownership of the document. Throws a JsonPatchFault with upstream's text. */
export function applyJsonPatchSteps(document: Json, operations: readonly JsonPatchOperation[]): Generator<void, Json> {
  return applyOperationsSteps(document, operations);
}

/** The same. With `written`, the values of the document and the operations are texts. */
export function* applyOperationsSteps(
  document: Json,
  operations: readonly JsonPatchOperation[],
  written?: WrittenValues,
): Generator<void, Json> {
  const patcher = new Patcher(document, written);
  let applied = 0;
  for (const operation of operations) {
    if (++applied % OPERATIONS_PER_STEP === 0) yield;
    // A copy may be as large as the document.
    if (getOwn(operation, 'op') === 'copy') yield* patcher.copy(operation);
    else patcher.apply(operation);
  }
  return patcher.result();
}

class Patcher {
  #document: Json;
  readonly #lists = new EditedLists();
  #copiedBytes = 0;

  readonly #written: WrittenValues | undefined;

  constructor(document: Json, written?: WrittenValues) {
    this.#document = document;
    this.#written = written;
  }

  result(): Json {
    this.#open(this.#document);
    this.#lists.settle(this.#document);
    return this.#document;
  }

  apply(operation: JsonPatchOperation): void {
    const kind = getOwn(operation, 'op');
    switch (kind) {
      case 'add': {
        const path = textOf(operation, 'path', () => 'add operation failed to decode path: missing value');
        const at = this.#locate(path, `add operation does not apply: doc is missing path: "${path}"`);
        this.#add(at, this.#operandOf(operation), `error in add for path: '${path}'`);
        break;
      }
      case 'remove': {
        const path = textOf(operation, 'path', () => 'remove operation failed to decode path: missing value');
        const at = this.#locate(path, `remove operation does not apply: doc is missing path: "${path}"`);
        this.#remove(at, `error in remove for path: '${path}'`);
        break;
      }
      case 'replace':
        this.#replace(
          textOf(operation, 'path', (reason) => `replace operation failed to decode path: ${reason}`),
          this.#operandOf(operation),
        );
        break;
      case 'move':
        this.#move(operation);
        break;
      case 'copy':
        for (const _ of this.copy(operation));
        break;
      case 'test': {
        const path = textOf(operation, 'path', (reason) => `test operation failed to decode path: ${reason}`);
        this.#test(path, getOwn(operation, 'value') ?? null);
        break;
      }
      default:
        throw new JsonPatchFault(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`);
    }
  }

  /** The object or list that holds the last key of a path. */
  #locate(path: string, missing: string): Location {
    const pointer = parseJsonPointer(path);
    if (pointer === undefined) throw new JsonPatchFault(`${missing}: missing value`);
    const [parents, key] = pointer;
    let current: Json | undefined = this.#document;
    for (const parent of parents) {
      if (!isContainer(current)) break;
      current = this.#lookUp(current, parent);
      this.#open(current);
    }
    if (!isContainer(current)) throw new JsonPatchFault(`${missing}: missing value`);
    return { container: current, key };
  }

  /** The operation's value. Later operations may change it inside the document; texts are read for one document. */
  #operandOf(operation: JsonPatchOperation): Json {
    const value = getOwn(operation, 'value') ?? null;
    return this.#written === undefined ? cloneJson(value) : value;
  }

  #open(value: Json | undefined): void {
    if (isContainer(value)) this.#written?.open(value);
  }

  #replace(path: string, value: Json): void {
    if (path !== '') {
      const { container, key } = this.#locate(path, `replace operation does not apply: doc is missing path: ${path}`);
      if (!Array.isArray(container)) {
        setOwn(container, key, value);
        return;
      }
      const index = listIndex(key, this.#lists.lengthOf(container));
      const missing = `replace operation does not apply: doc is missing key: ${path}: missing value`;
      if (index === undefined) throw new JsonPatchFault(missing);
      this.#lists.set(container, index, value);
    } else {
      // Upstream formats an error that is absent.
      if (!isContainer(value)) {
        throw new JsonPatchFault('replace operation value must be object or array: %!w(<nil>)');
      }
      this.#document = value;
    }
  }

  #move(operation: JsonPatchOperation): void {
    const from = textOf(operation, 'from', (reason) => `move operation failed to decode from: ${reason}`);
    const source = this.#locate(from, `move operation does not apply: doc is missing from path: ${from}`);
    const value = this.#lookUpExisting(source, `error in move for path: '${source.key}'`);
    this.#remove(source, `error in move for path: '${source.key}'`);
    const path = textOf(operation, 'path', (reason) => `move operation failed to decode path: ${reason}`);
    const target = this.#locate(path, `move operation does not apply: doc is missing destination path: ${path}`);
    this.#add(target, value, `error in move for path: '${path}'`);
  }

  /** Applies an operation `copy`, in steps. */
  *copy(operation: JsonPatchOperation): Generator<void, void> {
    const from = textOf(operation, 'from', (reason) => `copy operation failed to decode from: ${reason}`);
    const source = this.#locate(from, `copy operation does not apply: doc is missing from path: ${from}`);
    const value = this.#lookUpExisting(source, `error in copy for from: '${from}'`);
    const path = textOf(operation, 'path', () => 'copy operation failed to decode path: missing value');
    const target = this.#locate(path, `copy operation does not apply: doc is missing destination path: ${path}`);
    yield;
    this.#lists.settle(value);
    const bytes = value === null ? 0 : yield* this.#bytesOf(value);
    this.#copiedBytes += bytes;
    if (this.#copiedBytes > MAX_JSON_PATCH_COPY_BYTES) {
      const sizes = `${this.#copiedBytes}, exceeding the limit ${MAX_JSON_PATCH_COPY_BYTES}`;
      throw new JsonPatchFault(`Unable to complete the copy, the accumulated size increase of copy is ${sizes}`);
    }
    if (bytes >= LARGE_COPY) yield;
    this.#add(target, yield* this.#copyOf(value, bytes), 'error while adding value during copy');
  }

  *#copyOf(value: Json, bytes: number): Generator<void, Json> {
    if (this.#written !== undefined) return yield* this.#written.copy(value);
    return bytes >= LARGE_COPY ? yield* cloneJsonSteps(value) : cloneJson(value);
  }

  *#bytesOf(value: Json): Generator<void, number> {
    if (this.#written === undefined) return compactJsonBytes(value);
    return Buffer.byteLength(escapeHtml(yield* this.#written.text(value)));
  }

  #test(path: string, expected: Json): void {
    const actual = path === '' ? this.#document : this.#tested(path);
    if (!this.#lists.equal(actual, expected)) {
      throw new JsonPatchFault(`testing value ${path} failed: test failed`, true);
    }
    this.#written?.openAll(actual);
  }

  #tested(path: string): Json {
    const at = this.#locate(path, `test operation does not apply: is missing path: ${path}`);
    return this.#lookUpExisting(at, `error in test for path: '${path}'`);
  }

  #lookUp(container: Container, key: string): Json | undefined {
    if (!Array.isArray(container)) return getOwn(container, key);
    const index = listIndex(key, this.#lists.lengthOf(container));
    return index === undefined ? undefined : this.#lists.at(container, index);
  }

  /** The value at a location: null for a missing member of an object. Throws for a missing element of a list. */
  #lookUpExisting({ container, key }: Location, context: string): Json {
    const value = this.#lookUp(container, key);
    if (value === undefined && Array.isArray(container)) throw new JsonPatchFault(`${context}: ${indexFault(key)}`);
    return value ?? null;
  }

  #add({ container, key }: Location, value: Json, context: string): void {
    if (Array.isArray(container)) {
      const length = this.#lists.lengthOf(container);
      const index = key === '-' ? length : listIndex(key, length + 1);
      if (index === undefined) {
        const prefix = isIndex(key) ? '' : `value was not a proper array index: '${key}': `;
        throw new JsonPatchFault(`${context}: ${prefix}${indexFault(key)}`);
      }
      this.#lists.insert(container, index, value);
    } else {
      setOwn(container, key, value);
    }
  }

  #remove({ container, key }: Location, context: string): void {
    if (Array.isArray(container)) {
      const index = listIndex(key, this.#lists.lengthOf(container));
      if (index === undefined) throw new JsonPatchFault(`${context}: ${indexFault(key)}`);
      this.#lists.remove(container, index);
    } else {
      if (!Object.hasOwn(container, key)) {
        throw new JsonPatchFault(`${context}: Unable to remove nonexistent key: ${key}: missing value`);
      }
      delete container[key];
    }
  }
}

interface Location {
  readonly container: Container;
  readonly key: string;
}

function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

/** A path of an operation. Throws the text that `fault` makes from the reason. */
function textOf(operation: JsonPatchOperation, member: 'path' | 'from', fault: (reason: string) => string): string {
  const value = getOwn(operation, member);
  if (typeof value === 'string') return value;
  const absent = member === 'path' ? 'operation missing path field' : 'operation, missing from field';
  const isAbsent = value === undefined || value === null;
  const type = `json: cannot unmarshal ${jsonTypeName(value ?? null)} into Go value of type string`;
  throw new JsonPatchFault(fault(isAbsent ? `${absent}: missing value` : type));
}

function isIndex(key: string): boolean {
  return /^[+-]?[0-9]+$/.test(key);
}

function indexFault(key: string): string {
  if (!isIndex(key)) return `strconv.Atoi: parsing ${quote(key)}: invalid syntax`;
  return `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
}
