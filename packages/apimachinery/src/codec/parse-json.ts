import type { Json } from '../types/json.js';

/** JSON text that has been parsed once. Decoders of any kind take it. */
export interface ParsedJson {
  /** The text, kept for the exact decoder. */
  readonly bytes: Uint8Array;
  /** The value, with the last of duplicate keys, and with inexact numbers where `exact` is set. */
  readonly value: Json;
}
