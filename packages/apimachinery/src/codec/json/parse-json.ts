import { DecodeError } from '../../errors/decode-error.js';
import type { Json } from '../../types/json.js';
import { type DecodingSteps, stepsWithinStack } from '../canonical/decoding-steps.js';
import { checkDepth, MAX_VALUE_DEPTH } from '../canonical/value-depth.js';
import { decodeRawSteps } from './exact-decoder.js';
import { parseJsonExact } from './json-cursor.js';
import { jsonSyntaxError, jsonSyntaxProblem, MAX_JSON_DEPTH } from './json-syntax-error.js';
import { type JsonScan, scanJson } from './scan-json.js';

/** JSON text that has been parsed once. Decoders of all kinds accept it. */
export interface ParsedJson {
  /** The text, kept for the exact decoder. */
  readonly bytes: Uint8Array;
  /**
   * The result of JSON.parse: the last of duplicate keys. Where `scan.odd` is set, big integers are rounded, and names
   * may be confused.
   */
  readonly value: Json;
  readonly scan: JsonScan;
}

/**
 * Parses JSON text fast, and records where JSON.parse may be wrong; `decodeParsed` of a codec makes it exact. Throws
 * DecodeError with upstream's text for text that is not JSON or nests deeper than 10,000. `scan`: the result of
 * `scanJson`, of a caller that has it.
 */
export function parseJson(bytes: Uint8Array, scan = scanJson(bytes)): ParsedJson {
  if (scan.depth > MAX_JSON_DEPTH) throw jsonSyntaxError(bytes);
  const value = parseFast(bytes);
  if (scan.escapedNames && !scan.odd && hasConfusedName(value)) return { bytes, value, scan: { ...scan, odd: true } };
  return { bytes, value, scan };
}

/**
 * Byte count from which text may take tens of milliseconds to parse, and its value several times as long to decode.
 * Below it steps would only cost.
 */
const LARGE_JSON = 256 * 1024;

/** True for text that should be decoded in steps. */
export function isLargeJson(bytes: Uint8Array): boolean {
  return bytes.length >= LARGE_JSON;
}

/** JSON text that is well-formed, but not yet parsed. */
export type CheckedJson = Pick<ParsedJson, 'bytes' | 'scan'>;

/** Checks that text is JSON without parsing it. Throws DecodeError as `parseJson`. */
export function checkJson(bytes: Uint8Array): CheckedJson {
  const problem = jsonSyntaxProblem(bytes);
  if (problem !== undefined) throw problem;
  return { bytes, scan: scanJson(bytes) };
}

/**
 * The JSON value of a text without a schema. Integers beyond ±(2^53−1) are bigint, ill-formed Unicode becomes U+FFFD,
 * and the last of duplicate keys wins. Throws DecodeError as `parseJson`.
 */
export function parseJsonValue(bytes: Uint8Array): Json {
  return exactJson(parseJson(bytes));
}

/** The same in steps of a few milliseconds, for large text. The total cost is higher. */
export function* parseJsonValueSteps(bytes: Uint8Array): DecodingSteps<Json> {
  checkJson(bytes);
  yield;
  return yield* parseJsonSteps(bytes);
}

/** The same for text from an encoder, which is not checked. */
export function* parseJsonSteps(bytes: Uint8Array): DecodingSteps<Json> {
  const value = yield* stepsWithinStack(decodeRawSteps(bytes));
  checkDepth(value);
  return value as Json;
}

/** The result of `parseJsonValue` for text that is already parsed. */
export function exactJson(parsed: ParsedJson): Json {
  if (parsed.scan.depth > MAX_VALUE_DEPTH) checkDepth(parsed.value);
  return parsed.scan.odd ? parseJsonExact(parsed.bytes) : parsed.value;
}

/**
 * True if JSON.parse has confused names. V8 takes the first characters of an escaped name, as they are written, for a
 * name that it expects from earlier objects: with these, `{"a\"":1}` may become `{"a\\":1}` (V8 14.6). The taken name
 * always has a backslash. The text has none: where names have backslashes, it is odd.
 */
function hasConfusedName(value: Json): boolean {
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object') left.push(item);
      continue;
    }
    for (const name in next) {
      if (name.includes('\\')) return true;
      const member = next[name];
      if (typeof member === 'object') left.push(member);
    }
  }
  return false;
}

function parseFast(bytes: Uint8Array): Json {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as Json;
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('syntax', 'exceeded max depth');
    throw jsonSyntaxError(bytes);
  }
}
