import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type { DecodeError } from '../../errors/decode-error.js';
import { CappedErrors, TEXT_CAP } from '../../field/capped-errors.js';
import { goSyntax } from '../../json/go-syntax.js';
import { setOwn } from '../../json/set-own.js';
import { base64Fault } from '../../text/base64.js';
import { quote } from '../../text/quote.js';
import type { Json, JsonObject } from '../../types/json.js';
import { checkBlockItem, checkBlockValue, checkQuotedEnd } from './yaml-block.js';
import { yamlError } from './yaml-events.js';
import { checkFlowKey, checkFlowText, withoutIndicator } from './yaml-flow.js';
import { keyError, keyText, printedKey, refuseInfinite } from './yaml-key.js';
import { YamlPlaces } from './yaml-places.js';
import { resolveYamlScalar, type YamlScalar } from './yaml-scalar.js';
import { scalarText } from './yaml-scalar-text.js';

/**
 * Maximum number of bytes that aliases may add: the size limit of a body. A larger document could not be sent without
 * aliases. Upstream counts only nodes, however long their text is.
 */
const MAX_EXPANDED = 3 * 1024 * 1024;

/** Minimum number of these bytes that a node counts as. */
const NODE_BYTES = 8;

/** Builds the JSON value of one document from its events. */
export class YamlBuilder {
  readonly #source: string;
  readonly #events: readonly Event[];
  /** The first events of anchored nodes that are being built: an alias to one would be a cycle. */
  readonly #open = new Set<number>();
  readonly #duplicates = new CappedErrors(TEXT_CAP);
  readonly #places: YamlPlaces;
  #rareEscapes: boolean | undefined;
  #at = 0;
  /** Nodes built, and how many of them through aliases: upstream's measure of aliasing. */
  #decoded = 0;
  #byAlias = 0;
  #aliasDepth = 0;
  #expanded = 0;
  /** True if a number was built that JSON lacks. */
  #hasInfinite = false;

  constructor(source: string, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
    this.#places = new YamlPlaces(source, events);
  }

  /** The value. Throws DecodeError. */
  build(): Json {
    this.#count();
    const first = this.#events[0];
    if (first === undefined || first.type === EVENT_ID.POP) return null;
    const value = this.#node();
    if (this.#hasInfinite) refuseInfinite(value);
    return value;
  }

  /** Upstream's message about the duplicate keys found by `build`. */
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
    if (event.type === EVENT_ID.ALIAS) return this.#aliased(event, at, (target) => this.#content(target));
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) {
      throw yamlError('did not find expected node content');
    }
    if (event.anchorStart >= 0) this.#open.add(at);
    const value = this.#content(event);
    this.#open.delete(at);
    return value;
  }

  #content(event: Event): Json {
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    if (event.type === EVENT_ID.SEQUENCE) return this.#sequence(event);
    if (event.type === EVENT_ID.MAPPING) return this.#mapping(event);
    throw yamlError('did not find expected node content');
  }

  /** Builds what the alias at `at` refers to. `build` gets its first event, behind which the events go on. */
  #aliased<T>({ anchorStart, anchorEnd }: AliasEvent, at: number, build: (target: Event) => T): T {
    const target = this.#places.targetOf(at);
    if (this.#open.has(target)) {
      throw yamlError(`anchor '${this.#source.slice(anchorStart, anchorEnd)}' value contains itself`);
    }
    const back = this.#at;
    this.#at = target;
    this.#aliasDepth++;
    this.#open.add(target);
    this.#count();
    const value = build(this.#events[this.#at++] as Event);
    this.#open.delete(target);
    this.#aliasDepth--;
    this.#at = back;
    return value;
  }

  #count(): void {
    this.#decoded++;
    if (this.#aliasDepth > 0) {
      this.#byAlias++;
      this.#expand(NODE_BYTES);
    }
    const share = this.#byAlias / this.#decoded;
    if (this.#byAlias > 100 && this.#decoded > 1000 && share > allowedAliasRatio(this.#decoded)) {
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
    this.#countAliased(event);
    if (typeof scalar.value === 'number' && !Number.isFinite(scalar.value)) this.#hasInfinite = true;
    return scalar.value;
  }

  /** The source text of a value is about as long, and was already counted. */
  #countAliased({ valueStart, valueEnd }: ScalarEvent): void {
    if (this.#aliasDepth > 0) this.#expand(valueEnd - valueStart);
  }

  #resolve(event: ScalarEvent): YamlScalar {
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && this.#mayHaveFaults()) this.#checkEscapes(event);
    const text = scalarText(this.#source, event);
    const tag = this.#tag(event);
    if (tag === '') return event.style === SCALAR_STYLE.PLAIN ? resolveYamlScalar(text) : { tag: 'str', value: text };
    return resolveTagged(tag, text);
  }

  /** Hardly any text has an escape that can be wrong. */
  #mayHaveFaults(): boolean {
    this.#rareEscapes ??= /\\[/uU]/.test(this.#source);
    return this.#rareEscapes;
  }

  /** Refuses escapes that YAML 1.1 lacks, and those of no character. */
  #checkEscapes({ valueStart, valueEnd }: ScalarEvent): void {
    const written = this.#source.slice(valueStart, valueEnd);
    if (!written.includes('\\')) return;
    const problem = escapeProblem(written);
    if (problem === undefined) return;
    const [first, last] = [this.#places.lineAt(valueStart), this.#places.lineAt(valueStart + problem.at)];
    const line = first > 1 ? first : last;
    throw yamlError(`${line > 1 ? `line ${line}: ` : ''}${problem.reason}`);
  }

  /** The tag as written; "" if there is none. */
  #tag({ tagStart, tagEnd }: ScalarEvent): string {
    return this.#source.slice(Math.max(tagStart, 0), Math.max(tagEnd, 0));
  }

  #sequence({ style }: SequenceEvent): Json[] {
    const out: Json[] = [];
    const isFlow = style === COLLECTION_STYLE.FLOW;
    for (let event = this.#events[this.#at]; event?.type !== EVENT_ID.POP; event = this.#events[this.#at]) {
      if (!isFlow && event !== undefined) this.#checkItem(event);
      const isLoneKey =
        isFlow && event?.type === EVENT_ID.SCALAR && checkFlowText(this.#source, this.#places, event, ']');
      if (isLoneKey) {
        const item: JsonObject = {};
        setOwn(item, this.#key(true).text, null);
        out.push(item);
      } else out.push(this.#node());
    }
    this.#at++;
    return out;
  }

  /** Aliases only repeat what is checked where it stands. */
  #checkItem(event: Event): void {
    if (this.#aliasDepth > 0) return;
    checkBlockItem(this.#source, this.#places, event, this.#events[this.#at + 1]);
    if (event.type === EVENT_ID.SCALAR) checkQuotedEnd(this.#source, this.#places, event);
  }

  #mapping(mapping: MappingEvent): JsonObject {
    const out: JsonObject = {};
    this.#members(mapping, out);
    return out;
  }

  /** Adds the members of a mapping to an object that may have some of them. */
  #members(mapping: MappingEvent, out: JsonObject): void {
    const isFlow = mapping.style === COLLECTION_STYLE.FLOW;
    while (this.#events[this.#at]?.type !== EVENT_ID.POP) {
      const event = this.#events[this.#at] as Event;
      // Aliases only repeat what is checked where it stands, and the space behind a key may be long.
      const isUnchecked = isFlow && this.#aliasDepth === 0;
      if (isUnchecked && event.type === EVENT_ID.SCALAR) checkFlowKey(this.#source, this.#places, mapping, event);
      if (this.#isMerge(event)) {
        this.#at++;
        this.#merge(out);
        continue;
      }
      const key = this.#key(isFlow);
      const valueEvent = this.#events[this.#at];
      const isFlowText = isFlow && valueEvent?.type === EVENT_ID.SCALAR;
      if (isFlowText && checkFlowText(this.#source, this.#places, valueEvent, '}')) {
        throw this.#places.fault(valueEvent.valueStart, 'did not find expected node content');
      }
      if (!isFlow && this.#aliasDepth === 0 && valueEvent !== undefined) {
        const first = this.#events[this.#at + 1];
        checkBlockValue(this.#source, this.#places, { key: event, value: valueEvent, first });
      }
      const value = this.#node();
      if (Object.hasOwn(out, key.text)) this.#noteDuplicate(key.printed, isEmpty(valueEvent) ? event : valueEvent);
      setOwn(out, key.text, value);
    }
    this.#at++;
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
    const event = this.#events[this.#at];
    if (event?.type !== EVENT_ID.SEQUENCE) {
      this.#mergeMapping(out);
      return;
    }
    this.#count();
    const at = this.#at++;
    if (event.anchorStart >= 0) this.#open.add(at);
    const starts: number[] = [];
    while (this.#events[this.#at]?.type !== EVENT_ID.POP) {
      starts.push(this.#at);
      this.#at = this.#places.endOf(this.#at);
    }
    const end = this.#at + 1;
    for (const start of starts.reverse()) {
      this.#at = start;
      this.#mergeMapping(out);
    }
    this.#at = end;
    this.#open.delete(at);
  }

  #mergeMapping(out: JsonObject): void {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_ID.ALIAS) {
      this.#count();
      this.#aliased(event, this.#at++, (target) => this.#mergeMembers(target, out));
      return;
    }
    this.#count();
    const at = this.#at++;
    if (event?.type !== EVENT_ID.MAPPING) throw wrongMerge();
    if (event.anchorStart >= 0) this.#open.add(at);
    this.#members(event, out);
    this.#open.delete(at);
  }

  #mergeMembers(target: Event, out: JsonObject): void {
    if (target.type !== EVENT_ID.MAPPING) throw wrongMerge();
    this.#members(target, out);
  }

  #key(isFlow: boolean): { readonly text: string; readonly printed: () => string } {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_ID.SCALAR) return this.#scalarKey(isFlow ? withoutIndicator(this.#source, event) : event);
    const value = this.#node();
    if (typeof value !== 'string') throw yamlError(`invalid map key: ${goSyntax(value)}`);
    return { text: value, printed: () => quote(value) };
  }

  /** A scalar as a key, decoded once. */
  #scalarKey(event: ScalarEvent): { readonly text: string; readonly printed: () => string } {
    this.#count();
    this.#at++;
    const resolved = this.#resolve(event);
    this.#countAliased(event);
    const error = keyError(resolved, () => this.#node());
    if (error !== undefined) throw error;
    return { text: keyText(resolved), printed: () => printedKey(resolved.value) };
  }

  #noteDuplicate(printed: () => string, event: Event | undefined): void {
    if (this.#duplicates.isFull) this.#duplicates.skip();
    else this.#duplicates.add(`line ${this.#places.lineOf(event)}: key ${printed()} already set in map`);
  }
}

/** Reports whether a node is not in the text. */
function isEmpty(event: Event | undefined): boolean {
  return event?.type === EVENT_ID.SCALAR && Math.max(event.valueStart, event.tagStart, event.anchorStart) < 0;
}

function wrongMerge(): DecodeError {
  return yamlError('map merge requires map or sequence of maps as the value');
}

/** An escape of a text in double quotes. */
const ESCAPE = /\\(?:u(?<short>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|[^uU])/g;

/** The first escape that upstream refuses and our parser takes. */
function escapeProblem(written: string): { readonly at: number; readonly reason: string } | undefined {
  for (const { 0: sequence, index: at, groups = {} } of written.matchAll(ESCAPE)) {
    if (sequence === '\\/') return { at, reason: 'found unknown escape character' };
    const code = Number.parseInt(groups['short'] ?? groups['long'] ?? '0', 16);
    const isCharacter = (code < 0xd800 || code > 0xdfff) && code <= 0x10ffff;
    if (!isCharacter) return { at, reason: 'found invalid Unicode character escape code' };
  }
  return undefined;
}

const MERGE = '<<';

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

/** A tag in its short form. */
function tagName(tag: string): string {
  return tag.replace(/^!<(.*)>$/, '$1').replace('tag:yaml.org,2002:', '!!');
}

/** A scalar with a tag. Core tags must fit the text; any other tag makes it text. */
function resolveTagged(tag: string, text: string): YamlScalar {
  const name = tagName(tag);
  if (name === '!!binary') {
    if (base64Fault(text) !== undefined) throw yamlError('!!binary value contains invalid base64 data');
    return { tag: 'str', value: Buffer.from(text, 'base64').toString('utf8') };
  }
  if (!['!!bool', '!!int', '!!float', '!!null', '!!timestamp'].includes(name)) return { tag: 'str', value: text };
  const resolved = resolveYamlScalar(text);
  if (`!!${resolved.tag}` === name) return resolved;
  if (name === '!!float' && resolved.tag === 'int') return { tag: 'float', value: Number(resolved.value) };
  throw yamlError(`cannot decode !!${resolved.tag} \`${text}\` as a ${name}`);
}
