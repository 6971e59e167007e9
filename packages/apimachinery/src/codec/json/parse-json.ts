import { DecodeError } from '../../errors/decode-error.js';
import type { Json } from '../../types/json.js';
import { type DecodingSteps, stepsWithinStack } from '../canonical/decoding-steps.js';
import { checkDepth, MAX_VALUE_DEPTH } from '../canonical/value-depth.js';
import { decodeRawSteps } from './exact-decoder.js';
import { parseJsonExact } from './json-cursor.js';
import { jsonSyntaxError, jsonSyntaxProblem, MAX_JSON_DEPTH } from './json-syntax-error.js';
import { type JsonScan, scanJson } from './scan-json.js';

/** JSON text that has been parsed once. Decoders of any kind take it. */
export interface ParsedJson {
  /** The text, kept for the exact decoder. */
  readonly bytes: Uint8Array;
  /** The value as JSON.parse sees it: of duplicate keys the last, and big integers rounded where `scan.odd` is set. */
  readonly value: Json;
  readonly scan: JsonScan;
}

/**
 * Parses JSON text, fast and with a note of what JSON.parse got wrong; `decodeParsed` of a codec makes it exact.
 * Throws DecodeError with upstream's text for what is not JSON or nested deeper than 10,000.
 */
export function parseJson(bytes: Uint8Array): ParsedJson {
  const scan = scanJson(bytes);
  if (scan.depth > MAX_JSON_DEPTH) throw jsonSyntaxError(bytes);
  return { bytes, value: parseFast(bytes), scan };
}

/**
 * From so many bytes on JSON text may take tens of milliseconds to parse, and what it stands for several times as long.
 * Below it steps would only cost.
 */
const LARGE_JSON = 256 * 1024;

/** True for text that should be decoded in steps. */
export function isLargeJson(bytes: Uint8Array): boolean {
  return bytes.length >= LARGE_JSON;
}

/** JSON text that is found to be well-formed, and has not been parsed. */
export type CheckedJson = Pick<ParsedJson, 'bytes' | 'scan'>;

/** Makes sure that text is JSON without making anything of it. Throws DecodeError as `parseJson`. */
export function checkJson(bytes: Uint8Array): CheckedJson {
  const problem = jsonSyntaxProblem(bytes);
  if (problem !== undefined) throw problem;
  return { bytes, scan: scanJson(bytes) };
}

/**
 * The JSON value of a text without a schema: integers beyond ±(2^53−1) are bigint, ill-formed Unicode becomes U+FFFD, of
 * duplicate keys the last one counts. Throws DecodeError as `parseJson`.
 */
export function parseJsonValue(bytes: Uint8Array): Json {
  return exactJson(parseJson(bytes));
}

/** The same in steps of a few milliseconds, for large text that an encoder has written. In all they cost more. */
export function* parseJsonSteps(bytes: Uint8Array): DecodingSteps<Json> {
  const value = yield* stepsWithinStack(decodeRawSteps(bytes));
  checkDepth(value);
  return value as Json;
}

/** The value that `parseJsonValue` answers, of text that has been parsed already. */
export function exactJson(parsed: ParsedJson): Json {
  if (parsed.scan.depth > MAX_VALUE_DEPTH) checkDepth(parsed.value);
  return parsed.scan.odd ? parseJsonExact(parsed.bytes) : parsed.value;
}

function parseFast(bytes: Uint8Array): Json {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as Json;
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('syntax', 'exceeded max depth');
    throw jsonSyntaxError(bytes);
  }
}
