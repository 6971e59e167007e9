import type { Json, JsonObject } from '@apiserver/apimachinery';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isLargeJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseJsonSteps,
  parseJsonValue,
  QUOTE,
} from '@apiserver/apimachinery/codec/json';
import { encodeYaml, encodeYamlSteps } from '@apiserver/apimachinery/codec/yaml';
import { type Piece, type Pieces, pieceInTurns } from '../views/pieces.js';

/**
 * Converts the JSON pieces of a list to YAML, item by item at the client's pace. The first piece must end where the
 * items begin. A list without items is converted as a whole.
 */
export function* yamlListPieces(json: Pieces): Generator<Piece> {
  const pieces = json[Symbol.iterator]();
  try {
    yield* writeList(pieces);
  } finally {
    // If the client disconnects, the source of the list ends too.
    pieces.return?.();
  }
}

function* writeList(pieces: Iterator<Piece>): Generator<Piece> {
  const head = pieces.next().value;
  if (!(head instanceof Uint8Array) || head.at(-1) !== OPEN_BRACKET) {
    const whole = [head, ...rest(pieces)].filter((piece) => piece instanceof Uint8Array);
    yield encodeYaml(parseJsonValue(Buffer.concat(whole)));
    return;
  }
  const frame = objectOf(Buffer.concat([head, Buffer.from(']}')]));
  const list = Object.keys(frame).at(-1) ?? '';
  yield* writeMembers(members(frame, (key) => key < list));
  const afterItems = yield* writeItems(list, pieces);
  const tail = objectOf(Buffer.concat([Buffer.from(`{"${list}":[`), afterItems]));
  yield* writeMembers({ ...members(frame, (key) => key > list), ...members(tail, (key) => key !== list) });
}

/** Writes the list with this name; returns the JSON text after its last item. */
function* writeItems(list: string, pieces: Iterator<Piece>): Generator<Piece, Uint8Array> {
  const items = new ItemSplitter();
  let isEmpty = true;
  for (const piece of rest(pieces)) {
    if (!(piece instanceof Uint8Array)) {
      yield piece;
      continue;
    }
    for (const item of items.take(piece)) {
      if (isEmpty) yield Buffer.from(`${list}:\n`);
      isEmpty = false;
      yield* isLargeJson(item)
        ? pieceInTurns(yamlSteps(item, (value) => [value]))
        : [encodeYaml([parseJsonValue(item)])];
    }
  }
  if (isEmpty) yield Buffer.from(`${list}: []\n`);
  return items.rest();
}

function* writeMembers(object: JsonObject): Generator<Piece> {
  if (Object.keys(object).length > 0) yield encodeYaml(object);
}

/** Converts JSON text to YAML in steps of a few milliseconds. `inside` is the parent of the value. */
export function* yamlSteps(
  json: Uint8Array,
  inside: (value: Json) => Json = (value) => value,
): Generator<void, Uint8Array> {
  const value = yield* parseJsonSteps(json);
  yield;
  return yield* encodeYamlSteps(inside(value));
}

function* rest<P>(pieces: Iterator<P>): Generator<P> {
  for (let next = pieces.next(); !next.done; next = pieces.next()) yield next.value;
}

function objectOf(json: Uint8Array): JsonObject {
  return parseJsonValue(json) as JsonObject;
}

function members(object: JsonObject, wanted: (key: string) => boolean): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(object).filter(([key]) => wanted(key)));
}

/** Splits JSON text that begins inside an array into the items of the array. */
class ItemSplitter {
  /** The received parts of the current item; after the array, of the text that follows it. */
  #parts: Uint8Array[] = [];
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isOver = false;

  /** Yields the items that end in this piece. All items are objects. */
  *take(piece: Uint8Array): Generator<Uint8Array> {
    let start = 0;
    for (let at = 0; at < piece.length && !this.#isOver; at++) {
      if (this.#isText) this.#passText(piece[at] as number);
      else if (this.#pass(piece[at] as number)) {
        this.#parts.push(piece.subarray(start, at + 1));
        yield withoutComma(Buffer.concat(this.#parts));
        this.#parts = [];
        start = at + 1;
      }
    }
    if (start < piece.length) this.#parts.push(piece.subarray(start));
  }

  /** The text after the last item, starting with the closing bracket. */
  rest(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  #passText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  /** Reports whether an item ends with this byte. */
  #pass(byte: number): boolean {
    if (byte === QUOTE) this.#isText = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACKET && this.#depth === 0) this.#isOver = true;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return --this.#depth === 0;
    return false;
  }
}

function withoutComma(item: Uint8Array): Uint8Array {
  return item[0] === COMMA ? item.subarray(1) : item;
}
