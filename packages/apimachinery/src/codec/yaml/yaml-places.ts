import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import type { DecodeError } from '../../errors/decode-error.js';
import { yamlError } from './yaml-events.js';

/** Places of nodes in a text and in its events. */
export class YamlPlaces {
  readonly #source: string;
  readonly #events: readonly Event[];
  /** The end of each line; computed on first use. */
  #lineEnds: readonly number[] | undefined;
  /** The event behind the node that begins with each one; computed on first use. */
  #nodeEnds: Uint32Array | undefined;
  /** The nodes of aliases; computed on first use. */
  #targets: ReadonlyMap<number, number> | undefined;

  constructor(source: string, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
  }

  /** The line at an offset, from 1 on. */
  lineAt(offset: number): number {
    this.#lineEnds ??= lineEnds(this.#source);
    return 1 + countBelow(this.#lineEnds, offset);
  }

  /** The line of a node, with its tag and its anchor. */
  lineOf(event: Event | undefined): number {
    if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return 1;
    if (event.type === EVENT_ID.ALIAS) return this.lineAt(event.anchorStart);
    const start = event.type === EVENT_ID.SCALAR ? this.#startOf(event) : event.start;
    return this.lineAt(Math.min(...[event.tagStart, event.anchorStart, start].filter((one) => one >= 0)));
  }

  /** The index of the event behind the node that begins with the event of this index. */
  endOf(index: number): number {
    this.#nodeEnds ??= nodeEnds(this.#events);
    return this.#nodeEnds[index] ?? index + 1;
  }

  /**
   * The index of the node that the alias of this index refers to: the last one before it with that anchor. Merges are
   * built in another order than that of the text. Throws DecodeError for the first alias of the text without a node.
   */
  targetOf(alias: number): number {
    this.#targets ??= aliasTargets(this.#source, this.#events);
    return this.#targets.get(alias) ?? alias;
  }

  /** An error of upstream's grammar, which counts lines from 0, or of its scanner, which counts them from 1. */
  fault(offset: number, problem: string, from: 'grammar' | 'scanner' = 'grammar'): DecodeError {
    const line = this.lineAt(offset) - 1;
    return yamlError(`${line > 0 ? `line ${from === 'scanner' ? line + 1 : line}: ` : ''}${problem}`);
  }

  /** The start of a scalar: that of a text in lines is its indicator. */
  #startOf({ valueStart, style }: ScalarEvent): number {
    if (style !== SCALAR_STYLE.LITERAL_BLOCK && style !== SCALAR_STYLE.FOLDED_BLOCK) return valueStart;
    return this.#source.lastIndexOf(style === SCALAR_STYLE.LITERAL_BLOCK ? '|' : '>', valueStart - 1);
  }
}

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

function nodeEnds(events: readonly Event[]): Uint32Array {
  const ends = new Uint32Array(events.length);
  const open: number[] = [];
  for (const [index, { type }] of events.entries()) {
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) open.push(index);
    else if (type === EVENT_ID.POP) ends[open.pop() ?? index] = index + 1;
    else ends[index] = index + 1;
  }
  return ends;
}

function aliasTargets(source: string, events: readonly Event[]): ReadonlyMap<number, number> {
  const anchors = new Map<string, number>();
  const targets = new Map<number, number>();
  for (const [index, event] of events.entries()) {
    if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT || event.anchorStart < 0) continue;
    const name = source.slice(event.anchorStart, event.anchorEnd);
    const target = anchors.get(name);
    if (event.type !== EVENT_ID.ALIAS) anchors.set(name, index);
    else if (target === undefined) throw yamlError(`unknown anchor '${name}' referenced`);
    else targets.set(index, target);
  }
  return targets;
}
