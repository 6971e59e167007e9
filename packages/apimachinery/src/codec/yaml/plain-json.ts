import { atOnce } from '../../clock/at-once.js';
import type { Json } from '../../types/json.js';
import { countMembers } from '../canonical/canonical-scalar.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { scanJson } from '../json/scan-json.js';
import { MAX_YAML_DEPTH } from './yaml-events.js';

/** A JSON object on one line, in printable ASCII without escapes: both languages read it alike. */
const PLAIN_JSON = /^\{[ -[\]-~]*$/;

/** Maximum key length of libyaml. */
const MAX_KEY_LENGTH = 1_024;

/** Text without escapes in which a key may be longer. */
const LONG_TEXT = /"[^"]{1024}/;

/**
 * The value of YAML that is JSON, as nearly all applied objects are; JSON parses many times as fast. Undefined for text
 * that YAML may read differently.
 */
export function plainJson(bytes: Uint8Array, source: string): Json | undefined {
  return atOnce(plainJsonSteps(bytes, source));
}

function* plainJsonSteps(bytes: Uint8Array, source: string): DecodingSteps<Json | undefined> {
  if (!PLAIN_JSON.test(source)) return undefined;
  const scan = scanJson(bytes);
  if (scan.odd || scan.escapedNames || scan.depth > MAX_YAML_DEPTH) return undefined;
  yield;
  const value = parsedOrNothing(source);
  if (value === undefined) return undefined;
  yield;
  if (countMembers(value) !== scan.members) return undefined;
  if (!LONG_TEXT.test(source)) return value;
  yield;
  return hasLongKey(value) ? undefined : value;
}

function parsedOrNothing(source: string): Json | undefined {
  try {
    return JSON.parse(source) as Json;
  } catch {
    return undefined;
  }
}

function hasLongKey(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLongKey);
  return Object.keys(value).some((key) => key.length >= MAX_KEY_LENGTH || hasLongKey(value[key] ?? null));
}

/**
 * Reports whether YAML is JSON that reads the same in both languages, as nearly all applied objects are. In steps, for
 * large bodies.
 */
export function* isPlainJsonSteps(bytes: Uint8Array): DecodingSteps<boolean> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return (yield* plainJsonSteps(bytes, source)) !== undefined;
}
