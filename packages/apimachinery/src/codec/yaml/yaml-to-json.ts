import { EVENT_ID, type Event } from 'js-yaml';
import type { Json } from '../../types/json.js';
import { stringifyJson } from '../json/stringify-json.js';
import { plainJson } from './plain-json.js';
import { YamlBuilder } from './yaml-builder.js';
import { firstDocument, type ReadYaml, readYaml, upToSecondDocument, yamlError } from './yaml-events.js';
import { readerFault } from './yaml-reader.js';

/** A YAML document as JSON. */
export interface YamlDocument {
  readonly value: Json;
  /** Upstream's message about duplicate keys in a mapping; the last one of them wins. */
  readonly duplicates: string | undefined;
}

/**
 * The first document of YAML 1.1 text as JSON. Keys become text, aliases are expanded (within upstream's ratio), `<<`
 * merges. Throws DecodeError.
 *
 * Upstream: sigs.k8s.io/yaml YAMLToJSON
 */
export function yamlToJson(bytes: Uint8Array): YamlDocument {
  const text = textOf(bytes);
  const plain = plainJson(bytes, text);
  if (plain !== undefined) return { value: plain, duplicates: undefined };
  return built(readYaml(sourceOf(bytes, text)));
}

/** YAML as JSON text. */
export interface YamlText<B extends ArrayBufferLike = ArrayBufferLike> {
  readonly json: Uint8Array<B>;
  /** As of a YamlDocument. */
  readonly duplicates: string | undefined;
}

/**
 * The JSON text of YAML; undefined, before any value is made, for a document that must have more values than
 * `maxValues`. A document slightly over the limit, or over it by aliases, may still be converted. Throws DecodeError as
 * `yamlToJson`.
 */
export function yamlToJsonText(bytes: Uint8Array, maxValues: number): YamlText<ArrayBuffer> | undefined {
  const read = readYaml(sourceOf(bytes, textOf(bytes)));
  // The root, and for each value a node, with one more for its key.
  if (countNodes(firstDocument(read.events)) > 1 + 2 * maxValues) return undefined;
  const { value, duplicates } = built(read);
  return { json: new TextEncoder().encode(stringifyJson(value)), duplicates };
}

/** The JSON value of YAML text; the last of duplicate keys wins. Throws DecodeError. */
export function parseYaml(bytes: Uint8Array): Json {
  return yamlToJson(bytes).value;
}

function built({ source, events }: ReadYaml): YamlDocument {
  const builder = new YamlBuilder(source, firstDocument(events));
  const value = builder.build();
  return { value, duplicates: builder.duplicates() };
}

function countNodes(events: readonly Event[]): number {
  let count = 0;
  for (const { type } of events) if (type !== EVENT_ID.POP) count++;
  return count;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The text of the first document. */
function sourceOf(bytes: Uint8Array, text: string): string {
  const source = upToSecondDocument(text);
  const fault = readerFault(bytes, text, source);
  if (fault !== undefined) throw yamlError(fault);
  return source;
}
