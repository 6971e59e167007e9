import {
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { atOnce } from '../../clock/at-once.js';
import { DecodeError } from '../../errors/decode-error.js';
import { CappedErrors, TEXT_CAP } from '../../field/capped-errors.js';
import { goSyntax } from '../../json/go-syntax.js';
import { setOwn } from '../../json/set-own.js';
import { quote } from '../../text/quote.js';
import type { Json, JsonObject } from '../../types/json.js';
import { countMembers } from '../canonical/canonical-scalar.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { scanJson } from '../json/scan-json.js';
import { stringifyJson } from '../json/stringify-json.js';
import { goYamlProblem } from './yaml-problem.js';
import { resolveYamlScalar, type YamlScalar } from './yaml-scalar.js';

/** Maximum nesting of YAML. Deeper text is rejected before it can exhaust the stack. */
const MAX_YAML_DEPTH = 1_000;

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
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const plain = plainJson(bytes, text);
  if (plain !== undefined) return { value: plain, duplicates: undefined };
  const source = upToSecondDocument(text);
  return built(source, firstDocument(parse(source)));
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
  const source = upToSecondDocument(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  const events = firstDocument(parse(source));
  // The root, and for each value a node, with one more for its key.
  if (countNodes(events) > 1 + 2 * maxValues) return undefined;
  const { value, duplicates } = built(source, events);
  return { json: new TextEncoder().encode(stringifyJson(value)), duplicates };
}

/**
 * Reports whether YAML is JSON that reads the same in both languages, as nearly all applied objects are. In steps, for
 * large bodies.
 */
export function* isPlainJsonSteps(bytes: Uint8Array): DecodingSteps<boolean> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return (yield* plainJsonSteps(bytes, source)) !== undefined;
}

function built(source: string, events: readonly Event[]): YamlDocument {
  const builder = new YamlBuilder(source, events);
  const value = builder.build();
  return { value, duplicates: builder.duplicates() };
}

function countNodes(events: readonly Event[]): number {
  let count = 0;
  for (const { type } of events) if (type !== EVENT_ID.POP) count++;
  return count;
}

/** A JSON object on one line, in printable ASCII without escapes: both languages read it alike. */
const PLAIN_JSON = /^\{[ -[\]-~]*$/;

/** Maximum key length of libyaml. */
const LONGEST_KEY = 1_024;

/** Text without escapes in which a key may be longer. */
const LONG_TEXT = /"[^"]{1024}/;

/**
 * The value of YAML that is JSON, as nearly all applied objects are; JSON parses many times as fast. Undefined for text
 * that YAML may read differently.
 */
function plainJson(bytes: Uint8Array, source: string): Json | undefined {
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
  return Object.keys(value).some((key) => key.length >= LONGEST_KEY || hasLongKey(value[key] ?? null));
}

/** The JSON value of YAML text; the last of duplicate keys wins. Throws DecodeError. */
export function parseYaml(bytes: Uint8Array): Json {
  return yamlToJson(bytes).value;
}

function parse(source: string): readonly Event[] {
  try {
    return parseEvents(source, { maxDepth: MAX_YAML_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw yamlError(mark ? goYamlProblem(source, { reason, line: mark.line, position: mark.position }) : reason);
  }
}

function yamlError(message: string): DecodeError {
  return new DecodeError('syntax', `yaml: ${message}`);
}

/** A line that ends a document, whatever is still open. */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;

/** A line before the marker that begins the first document: a directive, a comment or an empty line. */
const LINE_BEFORE_DOCUMENT = /(?:%[^\r\n]*|[ \t]*(?:#[^\r\n]*)?)(?:\r\n?|\n)/y;

/** The start of the first document, including its marker if it has one. */
function startOfDocument(text: string): number {
  LINE_BEFORE_DOCUMENT.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  let start = LINE_BEFORE_DOCUMENT.lastIndex;
  while (LINE_BEFORE_DOCUMENT.test(text)) start = LINE_BEFORE_DOCUMENT.lastIndex;
  return start;
}

/** The text up to the marker after the first document. Upstream never reads beyond it. */
function upToSecondDocument(text: string): string {
  const start = startOfDocument(text);
  MARKER.lastIndex = text.startsWith('---', start) ? start + 3 : start;
  const marker = MARKER.exec(text);
  return marker === null ? text : text.slice(0, marker.index + marker[0].length);
}

/** The events between the first document's start and its end. */
function firstDocument(events: readonly Event[]): readonly Event[] {
  const next = events.findIndex((event, i) => i > 0 && event.type === EVENT_ID.DOCUMENT);
  return events.slice(1, next === -1 ? undefined : next);
}

/** An anchored node: the start of its events, and whether it is still being built (an alias to it would be a cycle). */
interface Anchor {
  readonly at: number;
  open: boolean;
}

/**
 * Maximum number of bytes that aliases may add: the size limit of a body. A larger document could not be sent without
 * aliases. Upstream counts only nodes, however long their text is.
 */
const MAX_EXPANDED = 3 * 1024 * 1024;

/** Minimum number of these bytes that a node counts as. */
const NODE_BYTES = 8;

class YamlBuilder {
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Anchor>();
  readonly #duplicates = new CappedErrors(TEXT_CAP);
  /** The end of each line; computed for the first duplicate. */
  #lineEnds: readonly number[] | undefined;
  #at = 0;
  /** Nodes built, and how many of them through aliases: upstream's measure of aliasing. */
  #decoded = 0;
  #aliased = 0;
  #aliasDepth = 0;
  #expanded = 0;

  constructor(source: string, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
  }

  build(): Json {
    this.#count();
    const first = this.#events[0];
    return first === undefined || first.type === EVENT_ID.POP ? null : this.#node();
  }

  duplicates(): string | undefined {
    const duplicates = this.#duplicates.list();
    if (duplicates.length === 0) return undefined;
    const lines = duplicates.map((line) => `\n  ${line}`).join('');
    return `yaml: unmarshal errors:${lines}`;
  }

  #node(): Json {
    this.#count();
    const at = this.#at;
    const event = this.#events[this.#at++];
    if (event === undefined) throw yamlError('unexpected end of document');
    if (event.type === EVENT_ID.ALIAS) return this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd));
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) {
      throw yamlError('did not find expected node content');
    }
    const anchor = this.#openAnchor(event.anchorStart, event.anchorEnd, at);
    const value = this.#content(event);
    if (anchor !== undefined) anchor.open = false;
    return value;
  }

  #content(event: Event): Json {
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    return event.type === EVENT_ID.SEQUENCE ? this.#sequence() : this.#mapping();
  }

  #openAnchor(start: number, end: number, at: number): Anchor | undefined {
    if (start < 0) return undefined;
    const anchor = { at, open: true };
    this.#anchors.set(this.#source.slice(start, end), anchor);
    return anchor;
  }

  #alias(name: string): Json {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw yamlError(`unknown anchor '${name}' referenced`);
    if (anchor.open) throw yamlError(`anchor '${name}' value contains itself`);
    const back = this.#at;
    this.#at = anchor.at;
    this.#aliasDepth++;
    anchor.open = true;
    this.#count();
    const event = this.#events[this.#at++] as Event;
    const value = this.#content(event);
    anchor.open = false;
    this.#aliasDepth--;
    this.#at = back;
    return value;
  }

  #count(): void {
    this.#decoded++;
    if (this.#aliasDepth > 0) {
      this.#aliased++;
      this.#expand(NODE_BYTES);
    }
    const share = this.#aliased / this.#decoded;
    if (this.#aliased > 100 && this.#decoded > 1000 && share > allowedAliasRatio(this.#decoded)) {
      throw yamlError('document contains excessive aliasing');
    }
  }

  /** Counts the bytes that an alias adds. */
  #expand(bytes: number): void {
    this.#expanded += bytes;
    if (this.#expanded > MAX_EXPANDED) throw yamlError('document contains excessive aliasing');
  }

  #scalar(event: ScalarEvent): Json {
    return this.#value(event, this.#resolve(event));
  }

  #value(event: ScalarEvent, scalar: YamlScalar): Json {
    // Its source text is about as long, and was already counted.
    if (this.#aliasDepth > 0) this.#expand(event.valueEnd - event.valueStart);
    if (typeof scalar.value === 'number' && !Number.isFinite(scalar.value)) {
      throw new DecodeError('syntax', `json: unsupported value: ${goFloatName(scalar.value)}`);
    }
    return scalar.value;
  }

  #resolve(event: ScalarEvent): YamlScalar {
    const text = getScalarValue(this.#source, event);
    const tag = this.#tag(event);
    if (tag === '') return event.style === SCALAR_STYLE.PLAIN ? resolveYamlScalar(text) : { tag: 'str', value: text };
    return resolveTagged(tag, text);
  }

  /** The tag as written; "" if there is none. */
  #tag({ tagStart, tagEnd }: ScalarEvent): string {
    return this.#source.slice(Math.max(tagStart, 0), Math.max(tagEnd, 0));
  }

  #sequence(): Json[] {
    const out: Json[] = [];
    while (this.#events[this.#at]?.type !== EVENT_ID.POP) out.push(this.#node());
    this.#at++;
    return out;
  }

  #mapping(): JsonObject {
    const out: JsonObject = {};
    while (this.#events[this.#at]?.type !== EVENT_ID.POP) {
      const event = this.#events[this.#at] as Event;
      if (this.#isMerge(event)) {
        const anchor = this.#openAnchor(event.anchorStart, event.anchorEnd, this.#at++);
        if (anchor !== undefined) anchor.open = false;
        this.#merge(out);
        continue;
      }
      const key = this.#key();
      const valueEvent = this.#events[this.#at];
      const value = this.#node();
      if (Object.hasOwn(out, key.text)) this.#noteDuplicate(key.printed, valueEvent);
      setOwn(out, key.text, value);
    }
    this.#at++;
    return out;
  }

  #isMerge(event: Event): event is ScalarEvent {
    if (event.type !== EVENT_ID.SCALAR) return false;
    if (event.tagStart >= 0) {
      return tagName(this.#tag(event)) === '!!merge' && getScalarValue(this.#source, event) === MERGE;
    }
    if (event.style !== SCALAR_STYLE.PLAIN) return false;
    return event.valueEnd - event.valueStart === MERGE.length && this.#resolve(event).tag === 'merge';
  }

  /** Merges a mapping, or a sequence of mappings in which earlier ones win, into the mapping so far. */
  #merge(out: JsonObject): void {
    const value = this.#node();
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    for (const source of sources) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        throw yamlError('map merge requires map or sequence of maps as the value');
      }
      for (const key of Object.keys(source)) setOwn(out, key, source[key] ?? null);
    }
  }

  #key(): { readonly text: string; readonly printed: () => string } {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_ID.SCALAR) return this.#scalarKey(event);
    const value = this.#node();
    if (typeof value !== 'string') throw yamlError(`invalid map key: ${goSyntax(value)}`);
    return { text: value, printed: () => quote(value) };
  }

  /** A scalar as a key, decoded once. */
  #scalarKey(event: ScalarEvent): { readonly text: string; readonly printed: () => string } {
    this.#count();
    const anchor = this.#openAnchor(event.anchorStart, event.anchorEnd, this.#at++);
    const resolved = this.#resolve(event);
    this.#value(event, resolved);
    if (anchor !== undefined) anchor.open = false;
    const text = keyText(resolved);
    return { text, printed: () => (typeof resolved.value === 'string' ? quote(resolved.value) : text) };
  }

  #noteDuplicate(printed: () => string, event: Event | undefined): void {
    if (this.#duplicates.isFull) this.#duplicates.skip();
    else this.#duplicates.add(`line ${this.#lineOf(event)}: key ${printed()} already set in map`);
  }

  #lineOf(event: Event | undefined): number {
    const offset =
      event === undefined ? 0 : event.type === EVENT_ID.SCALAR ? event.valueStart : 'start' in event ? event.start : 0;
    this.#lineEnds ??= lineEnds(this.#source);
    return 1 + countBelow(this.#lineEnds, offset);
  }
}

const MERGE = '<<';

function lineEnds(source: string): readonly number[] {
  const ends: number[] = [];
  for (let i = source.indexOf('\n'); i !== -1; i = source.indexOf('\n', i + 1)) ends.push(i);
  return ends;
}

/** The count of numbers below a limit in an ascending list. */
function countBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Maximum share of a document that aliases may make up: nearly everything in small ones, a tenth in huge ones.
 *
 * Upstream: go.yaml.in/yaml/v2 decode.go
 */
function allowedAliasRatio(decoded: number): number {
  if (decoded <= 400_000) return 0.99;
  if (decoded >= 4_000_000) return 0.1;
  return 0.99 - 0.89 * ((decoded - 400_000) / 3_600_000);
}

function goFloatName(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function keyText(key: YamlScalar): string {
  if (key.value === null) {
    throw new DecodeError('syntax', 'unsupported map key of type: %!s(<nil>), key: <nil>');
  }
  return String(key.value);
}

/** A tag in its short form. */
function tagName(tag: string): string {
  return tag.replace(/^!<(.*)>$/, '$1').replace('tag:yaml.org,2002:', '!!');
}

/** A scalar with a tag. Core tags must fit the text; any other tag makes it text. */
function resolveTagged(tag: string, text: string): YamlScalar {
  const name = tagName(tag);
  if (name === '!!binary') return { tag: 'str', value: Buffer.from(text, 'base64').toString('utf8') };
  if (!['!!bool', '!!int', '!!float', '!!null', '!!timestamp'].includes(name)) return { tag: 'str', value: text };
  const resolved = resolveYamlScalar(text);
  if (`!!${resolved.tag}` === name) return resolved;
  if (name === '!!float' && resolved.tag === 'int') return { tag: 'float', value: Number(resolved.value) };
  throw yamlError(`cannot decode !!${resolved.tag} \`${text}\` as a ${name}`);
}
