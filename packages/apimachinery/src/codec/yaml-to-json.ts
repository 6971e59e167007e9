import {
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { setOwn } from '../json/set-own.js';
import { quote } from '../text/quote.js';
import type { Json, JsonObject } from '../types/json.js';
import { countMembers } from './canonical-scalar.js';
import { DecodeError } from './decode-error.js';
import { goSyntax } from './go-syntax.js';
import { scanJson } from './scan-json.js';
import { goYamlProblem } from './yaml-problem.js';
import { resolveYamlScalar, type YamlScalar } from './yaml-scalar.js';

/** How deep YAML may nest. Deeper text is refused before it can exhaust the stack. */
const MAX_YAML_DEPTH = 1_000;

/** A YAML document as JSON. */
export interface YamlDocument {
  readonly value: Json;
  /** Upstream's text about keys that occur twice in a mapping; of those the last one counts. */
  readonly duplicates: string | undefined;
}

/**
 * The first document of YAML 1.1 text as JSON: keys become text, aliases are expanded (within upstream's ratio), `<<`
 * merges. Throws DecodeError.
 *
 * Upstream: sigs.k8s.io/yaml YAMLToJSON
 */
export function yamlToJson(bytes: Uint8Array): YamlDocument {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const plain = plainJson(bytes, source);
  if (plain !== undefined) return { value: plain, duplicates: undefined };
  const builder = new YamlBuilder(source, firstDocument(parse(source)));
  const value = builder.build();
  return { value, duplicates: builder.duplicates() };
}

/** A JSON object on one line, in printable ASCII without escapes: where both languages read the same. */
const PLAIN_JSON = /^\{[ -[\]-~]*$/;

/** Libyaml takes no longer keys. Text this short has none. */
const LONGEST_KEY = 1_024;

/**
 * The value of YAML that is JSON, as nearly all is that clients apply; JSON is read many times as fast. Undefined for
 * anything that YAML may see otherwise: then it has to be read as that.
 */
function plainJson(bytes: Uint8Array, source: string): Json | undefined {
  if (!PLAIN_JSON.test(source)) return undefined;
  const scan = scanJson(bytes);
  if (scan.odd || scan.depth > MAX_YAML_DEPTH) return undefined;
  try {
    const value = JSON.parse(source) as Json;
    return countMembers(value) === scan.members && !(source.length > LONGEST_KEY && hasLongKey(value))
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

function hasLongKey(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLongKey);
  return Object.keys(value).some((key) => key.length >= LONGEST_KEY || hasLongKey(value[key] ?? null));
}

/** The JSON value of YAML text; of duplicate keys the last one counts. Throws DecodeError. */
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

/** The events between the first document's start and its end. */
function firstDocument(events: readonly Event[]): readonly Event[] {
  const next = events.findIndex((event, i) => i > 0 && event.type === EVENT_ID.DOCUMENT);
  return events.slice(1, next === -1 ? undefined : next);
}

/** An anchored node: where its events begin, and whether it is being built (then it would contain itself). */
interface Anchor {
  readonly at: number;
  open: boolean;
}

class YamlBuilder {
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Anchor>();
  readonly #duplicates: string[] = [];
  #at = 0;
  /** Nodes built, and how many of them through aliases: what upstream measures aliasing by. */
  #decoded = 0;
  #aliased = 0;
  #aliasDepth = 0;

  constructor(source: string, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
  }

  build(): Json {
    const first = this.#events[0];
    return first === undefined || first.type === EVENT_ID.POP ? null : this.#node();
  }

  duplicates(): string | undefined {
    if (this.#duplicates.length === 0) return undefined;
    const lines = this.#duplicates.map((line) => `\n  ${line}`).join('');
    return `yaml: unmarshal errors:${lines}`;
  }

  #node(): Json {
    this.#count();
    const at = this.#at;
    const event = this.#events[this.#at++];
    if (event === undefined) throw yamlError('unexpected end of document');
    if (event.type === EVENT_ID.ALIAS) return this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd));
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP)
      throw yamlError('did not find expected node content');
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
    const event = this.#events[this.#at++] as Event;
    const value = this.#content(event);
    anchor.open = false;
    this.#aliasDepth--;
    this.#at = back;
    return value;
  }

  #count(): void {
    this.#decoded++;
    if (this.#aliasDepth > 0) this.#aliased++;
    const share = this.#aliased / this.#decoded;
    if (this.#aliased > 100 && this.#decoded > 1000 && share > allowedAliasRatio(this.#decoded)) {
      throw yamlError('document contains excessive aliasing');
    }
  }

  #scalar(event: ScalarEvent): Json {
    const scalar = this.#resolve(event);
    if (typeof scalar.value === 'number' && !Number.isFinite(scalar.value)) {
      throw new DecodeError('syntax', `json: unsupported value: ${goFloatName(scalar.value)}`);
    }
    return scalar.value;
  }

  #resolve(event: ScalarEvent): YamlScalar {
    const text = getScalarValue(this.#source, event);
    const tag = this.#source.slice(Math.max(event.tagStart, 0), Math.max(event.tagEnd, 0));
    if (tag === '') return event.style === SCALAR_STYLE.PLAIN ? resolveYamlScalar(text) : { tag: 'str', value: text };
    return resolveTagged(tag, text);
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
        this.#at++;
        this.#merge(out);
        continue;
      }
      const key = this.#key();
      const valueEvent = this.#events[this.#at];
      const value = this.#node();
      if (Object.hasOwn(out, key.text))
        this.#duplicates.push(`line ${this.#lineOf(valueEvent)}: key ${key.printed} already set in map`);
      setOwn(out, key.text, value);
    }
    this.#at++;
    return out;
  }

  #isMerge(event: Event): boolean {
    return event.type === EVENT_ID.SCALAR && this.#resolve(event).tag === 'merge';
  }

  /** Merges a mapping, or mappings of a sequence of which the earlier ones win, into what the mapping has so far. */
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

  #key(): { readonly text: string; readonly printed: string } {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_ID.SCALAR) {
      const resolved = this.#resolve(event);
      this.#node();
      return {
        text: keyText(resolved),
        printed: typeof resolved.value === 'string' ? quote(resolved.value) : keyText(resolved),
      };
    }
    const value = this.#node();
    if (typeof value !== 'string') throw yamlError(`invalid map key: ${goSyntax(value)}`);
    return { text: value, printed: quote(value) };
  }

  #lineOf(event: Event | undefined): number {
    const offset =
      event === undefined ? 0 : event.type === EVENT_ID.SCALAR ? event.valueStart : 'start' in event ? event.start : 0;
    let line = 1;
    for (let i = this.#source.indexOf('\n'); i !== -1 && i < offset; i = this.#source.indexOf('\n', i + 1)) line++;
    return line;
  }
}

/**
 * How much of a document may come from aliases: nearly everything in small ones, a tenth in huge ones.
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

/** A scalar with a tag. Core tags must fit the text; any other tag makes it text. */
function resolveTagged(tag: string, text: string): YamlScalar {
  const name = tag.replace(/^!<(.*)>$/, '$1').replace('tag:yaml.org,2002:', '!!');
  if (name === '!!binary') return { tag: 'str', value: Buffer.from(text, 'base64').toString('utf8') };
  if (!['!!bool', '!!int', '!!float', '!!null', '!!timestamp'].includes(name)) return { tag: 'str', value: text };
  const resolved = resolveYamlScalar(text);
  if (`!!${resolved.tag}` === name) return resolved;
  if (name === '!!float' && resolved.tag === 'int') return { tag: 'float', value: Number(resolved.value) };
  throw yamlError(`cannot decode !!${resolved.tag} \`${text}\` as a ${name}`);
}
