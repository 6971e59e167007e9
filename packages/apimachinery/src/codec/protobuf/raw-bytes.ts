import { sortKeys } from '../../json/compare-keys.js';
import { escapeHtml } from '../../text/escape-html.js';
import { lengthenEscapes } from '../../text/long-escapes.js';
import { writeText } from '../json/canonical-json-steps.js';
import { writeRaw } from '../json/encode-json.js';
import { writeScalar } from '../json/stringify-json.js';

/** A frozen value that was written. */
interface Written {
  readonly value: object;
  /** Its JSON, from the second time on: most values are written once. */
  bytes: Uint8Array | undefined;
}

/** Shapes of objects that clients write at the same time. */
const KEPT = 8;
/** Size in bytes from which neither a value nor its JSON is kept: they would outlive their object and its server. */
const TOO_LARGE = 4 * 1024;

/** A key that JavaScript moves before all others. */
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
/** JSON that may have such a key. */
const MAY_HAVE_INDEX = /\{"(?:0|[1-9][0-9]{0,9})":/;

/** The newest first. A WeakMap would let the bytes survive collections. */
const recent: Written[] = [];

/**
 * Managed fields as JSON. A frozen one that was written of late is found again: all new objects of one shape have the same
 * `fieldsV1`.
 */
export function rawBytes(value: unknown): Uint8Array {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return fieldsBytes(value);
  for (const written of recent) if (written.value === value) return bytesAgain(written);
  const bytes = fieldsBytes(value);
  if (bytes.length >= TOO_LARGE) return bytes;
  if (recent.length === KEPT) recent.pop();
  recent.unshift({ value, bytes: undefined });
  return bytes;
}

function fieldsBytes(value: unknown): Buffer {
  return Buffer.from(lengthenEscapes(writeRaw(value)));
}

function bytesAgain(written: Written): Uint8Array {
  // A slice of Buffer's pool would retain all of it.
  written.bytes ??= new Uint8Array(fieldsBytes(written.value));
  return written.bytes;
}

/**
 * A raw extension as Go's writers have it: with escapes for HTML. Controllers compare the bytes of revisions with
 * those that they write. Where JavaScript moved numeric keys to the front, all keys are sorted, as those of Go's maps.
 *
 * Upstream: encoding/json
 */
export function extensionBytes(value: unknown): Uint8Array {
  return Buffer.from(escapeHtml(writeNatively(value) ?? writeExtension(value)));
}

/** Uses JavaScript's own writer, which is ten times as fast; undefined where its result may differ. */
function writeNatively(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return MAY_HAVE_INDEX.test(text) ? undefined : text;
  } catch (error) {
    // The value has a bigint, which JSON.stringify rejects.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function writeExtension(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeExtension).join(',')}]`;
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  const keys = Object.keys(value);
  // Moved keys come first.
  const ordered = INDEX.test(keys[0] ?? '') ? sortKeys(keys) : keys;
  return `{${ordered.map((key) => `${writeText(key)}:${writeExtension(Reflect.get(value, key))}`).join(',')}}`;
}
