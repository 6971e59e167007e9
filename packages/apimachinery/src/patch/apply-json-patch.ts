import { newGenericServerResponse } from '../errors/generic-server-response.js';
import { cloneJson } from '../json/clone-json.js';
import { getOwn, setOwn } from '../json/set-own.js';
import { compactJson } from '../text/compact-json.js';
import type { DeepReadonly, Json, JsonObject } from '../types/json.js';
import type { JsonPatchOperation } from './decode-json-patch.js';
import { EditedLists } from './edited-lists.js';
import { listIndex, parseJsonPointer } from './json-pointer.js';

/**
 * Maximum number of bytes that the `copy` operations of one patch may add: a small patch must not make a huge object.
 */
export const MAX_JSON_PATCH_COPY_BYTES = 3 * 1024 * 1024;

type Container = Json[] | JsonObject;

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
  for (const operation of operations) patcher.apply(operation);
  return patcher.result();
}

class Patcher {
  #document: Json;
  readonly #lists = new EditedLists();
  #copiedBytes = 0;

  constructor(document: Json) {
    this.#document = document;
  }

  result(): Json {
    this.#lists.settle(this.#document);
    return this.#document;
  }

  apply(operation: JsonPatchOperation): void {
    const path = getOwn(operation, 'path');
    switch (getOwn(operation, 'op')) {
      case 'add':
        this.#add(this.#locate(path), operandOf(operation));
        break;
      case 'remove':
        this.#remove(this.#locate(path));
        break;
      case 'replace':
        this.#replace(path, operandOf(operation));
        break;
      case 'move':
        this.#move(getOwn(operation, 'from'), path);
        break;
      case 'copy':
        this.#copy(getOwn(operation, 'from'), path);
        break;
      case 'test':
        this.#test(path, getOwn(operation, 'value') ?? null);
        break;
      default:
        throw notApplicable(`unexpected operation ${compactJson(getOwn(operation, 'op'))}`);
    }
  }

  /** The object or list that holds the last key of a path. */
  #locate(path: Json | undefined): Location {
    if (typeof path !== 'string') throw notApplicable('the operation has no path');
    const pointer = parseJsonPointer(path);
    if (pointer === undefined) throw notApplicable(`the document has no path "${path}"`);
    const [parents, key] = pointer;
    let current: Json | undefined = this.#document;
    for (const parent of parents) current = isContainer(current) ? this.#lookUp(current, parent) : undefined;
    if (!isContainer(current)) throw notApplicable(`the document has no path "${path}"`);
    return { container: current, key };
  }

  #replace(path: Json | undefined, value: Json): void {
    if (path !== '') {
      this.#replaceAt(this.#locate(path), value);
    } else {
      if (!isContainer(value)) throw notApplicable('only an object or a list can replace the document');
      this.#document = value;
    }
  }

  #move(from: Json | undefined, path: Json | undefined): void {
    const source = this.#locate(from);
    const value = this.#lookUpExisting(source);
    this.#remove(source);
    this.#add(this.#locate(path), value);
  }

  #copy(from: Json | undefined, path: Json | undefined): void {
    const value = this.#lookUpExisting(this.#locate(from));
    const target = this.#locate(path);
    this.#lists.settle(value);
    if (value !== null) this.#copiedBytes += Buffer.byteLength(compactJson(value));
    if (this.#copiedBytes > MAX_JSON_PATCH_COPY_BYTES) throw notApplicable('the patch copies too much');
    this.#add(target, cloneJson(value));
  }

  #test(path: Json | undefined, expected: Json): void {
    const actual = path === '' ? this.#document : this.#lookUpExisting(this.#locate(path));
    if (!this.#lists.equal(actual, expected)) throw notApplicable(`testing value ${path} failed`);
  }

  #lookUp(container: Container, key: string): Json | undefined {
    if (!Array.isArray(container)) return getOwn(container, key);
    const index = listIndex(key, this.#lists.lengthOf(container));
    return index === undefined ? undefined : this.#lists.at(container, index);
  }

  /** The value at a location: null for a missing member of an object. Throws for a missing element of a list. */
  #lookUpExisting({ container, key }: Location): Json {
    const value = this.#lookUp(container, key);
    if (value === undefined && Array.isArray(container)) throw invalidIndex(key);
    return value ?? null;
  }

  #add({ container, key }: Location, value: Json): void {
    if (Array.isArray(container)) {
      const length = this.#lists.lengthOf(container);
      const index = key === '-' ? length : listIndex(key, length + 1);
      if (index === undefined) throw invalidIndex(key);
      this.#lists.insert(container, index, value);
    } else {
      setOwn(container, key, value);
    }
  }

  #replaceAt({ container, key }: Location, value: Json): void {
    if (Array.isArray(container)) {
      const index = listIndex(key, this.#lists.lengthOf(container));
      if (index === undefined) throw invalidIndex(key);
      this.#lists.set(container, index, value);
    } else {
      setOwn(container, key, value);
    }
  }

  #remove({ container, key }: Location): void {
    if (Array.isArray(container)) {
      const index = listIndex(key, this.#lists.lengthOf(container));
      if (index === undefined) throw invalidIndex(key);
      this.#lists.remove(container, index);
    } else {
      if (!Object.hasOwn(container, key)) throw notApplicable(`there is no key ${key} to remove`);
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

/** A copy of the operation's value: later operations may change it inside the document. */
function operandOf(operation: JsonPatchOperation): Json {
  return cloneJson(getOwn(operation, 'value') ?? null);
}

function invalidIndex(key: string): Error {
  return notApplicable(`there is no index ${key}`);
}

function notApplicable(serverMessage: string): Error {
  return newGenericServerResponse({ code: 422, serverMessage });
}
