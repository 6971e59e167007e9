import type { JsonObject } from '../../types/json.js';
import { copyMap } from './copy-map.js';
import type { MergeType } from './merge-type.js';
import { type FieldPathElements, type PathElement, sortPathElements } from './path-element.js';

/** An element's entry in a set: whether it is a member itself, and which members are below it. */
export interface FieldEntry {
  readonly member: boolean;
  /** Undefined when there are none, never empty. */
  readonly children: FieldSet | undefined;
}

/** The shared entry of a member without children. */
export const LEAF: FieldEntry = { member: true, children: undefined };

/**
 * An immutable set of field paths, as a tree. Operations return a new set that shares unchanged parts, or the same set
 * if nothing changes. Therefore `===` recognises most equal sets.
 *
 * Upstream: Set in sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go
 */
export class FieldSet {
  /** Entries by element, in no particular order. The set takes ownership of the map. */
  readonly entries: ReadonlyMap<PathElement, FieldEntry>;
  /** Cache of `fieldsV1Of`, or the object that the set was decoded from. Not for other code. */
  written: JsonObject | undefined;
  /** Cache of `reconcileSet`: the type that the set is known to fit. Not for other code. */
  fits: MergeType | undefined;

  constructor(entries: ReadonlyMap<PathElement, FieldEntry>) {
    this.entries = entries;
  }

  /** The set of these paths; the empty path is ignored. */
  static of(...paths: readonly FieldPathElements[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  }

  get empty(): boolean {
    return this.entries.size === 0;
  }

  /** The number of member paths. */
  get size(): number {
    let size = 0;
    for (const { member, children } of this.entries.values()) size += (member ? 1 : 0) + (children?.size ?? 0);
    return size;
  }

  has(path: FieldPathElements): boolean {
    let entry: FieldEntry | undefined;
    let set: FieldSet | undefined = this;
    for (const element of path) {
      entry = set?.entries.get(element);
      if (entry === undefined) return false;
      set = entry.children;
    }
    return entry?.member ?? false;
  }

  /** The set below an element; undefined if there is none. */
  below(element: PathElement): FieldSet | undefined {
    return this.entries.get(element)?.children;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.entries.size !== other.entries.size) return false;
    for (const element of this.entries.keys()) {
      const theirs = other.entries.get(element);
      if (theirs === undefined || !equalEntries(this.entries.get(element) as FieldEntry, theirs)) return false;
    }
    return true;
  }

  /** Reports whether the other set has every member of this one. */
  isWithin(other: FieldSet): boolean {
    if (this === other) return true;
    for (const element of this.entries.keys()) {
      const { member, children } = this.entries.get(element) as FieldEntry;
      const theirs = other.entries.get(element);
      if (theirs === undefined || (member && !theirs.member)) return false;
      if (children !== undefined && !children.isWithin(theirs.children ?? EMPTY_SET)) return false;
    }
    return true;
  }

  union(other: FieldSet): FieldSet {
    if (this === other || other.empty) return this;
    if (this.empty) return other;
    let changed: Map<PathElement, FieldEntry> | undefined;
    other.entries.forEach((theirs, element) => {
      const ours = this.entries.get(element);
      const entry = ours === undefined ? theirs : unionOf(ours, theirs);
      if (entry === ours) return;
      changed ??= copyMap(this.entries);
      changed.set(element, entry);
    });
    return changed === undefined ? this : new FieldSet(changed);
  }

  intersection(other: FieldSet): FieldSet {
    if (this === other || this.empty) return this;
    if (other.empty) return EMPTY_SET;
    return this.#mapped((ours, element) => {
      const theirs = other.entries.get(element);
      return theirs === undefined ? undefined : intersectionOf(ours, theirs);
    });
  }

  /** The members that the other set lacks. A member of the other set removes itself, but not the members below it. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, differenceOf);
  }

  /** The members such that neither they nor any of their ancestors are in the other set. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, recursiveDifferenceOf);
  }

  /** The members that have no member below them. Upstream: Set.Leaves */
  leaves(): FieldSet {
    const kept = new Map<PathElement, FieldEntry>();
    for (const [element, entry] of this.entries) {
      const { children } = entry;
      kept.set(element, children === undefined ? entry : { member: false, children: children.leaves() });
    }
    return setOf(kept);
  }

  /** Every member's path; at each level members first, then their descendants, both in upstream's order. */
  *paths(prefix: FieldPathElements = []): Generator<FieldPathElements> {
    const elements = this.sortedElements();
    for (const element of elements) if (this.entries.get(element)?.member) yield [...prefix, element];
    for (const element of elements) {
      const children = this.below(element);
      if (children !== undefined) yield* children.paths([...prefix, element]);
    }
  }

  /** The elements in the order in which upstream writes them. */
  sortedElements(): readonly PathElement[] {
    return sortPathElements([...this.entries.keys()]);
  }

  // `forEach` here and above: an iterator allocates a pair for every entry, and that garbage dominates writes.
  #without(other: FieldSet, rest: (ours: FieldEntry, theirs: FieldEntry) => FieldEntry | undefined): FieldSet {
    if (this.empty || other.empty) return this;
    if (this.entries.size > MANY && 2 * other.entries.size > this.entries.size) return this.#filtered(other, rest);
    let changed: Map<PathElement, FieldEntry> | undefined;
    other.entries.forEach((theirs, element) => {
      const ours = this.entries.get(element);
      if (ours === undefined) return;
      const entry = rest(ours, theirs);
      if (entry === ours) return;
      changed ??= entry === undefined && this.entries.size === 1 ? new Map() : copyMap(this.entries);
      if (entry === undefined) changed.delete(element);
      else changed.set(element, entry);
    });
    return changed === undefined ? this : setOf(changed);
  }

  /** The same where most entries may go: copies the remaining ones instead of all. */
  #filtered(other: FieldSet, rest: (ours: FieldEntry, theirs: FieldEntry) => FieldEntry | undefined): FieldSet {
    return this.#mapped((ours, element) => {
      const theirs = other.entries.get(element);
      return theirs === undefined ? ours : rest(ours, theirs);
    });
  }

  /** The set with other entries, or without those that become undefined. Nothing is copied until one changes. */
  #mapped(map: (entry: FieldEntry, element: PathElement) => FieldEntry | undefined): FieldSet {
    let kept: Map<PathElement, FieldEntry> | undefined;
    let same = 0;
    this.entries.forEach((ours, element) => {
      const entry = map(ours, element);
      if (kept === undefined) {
        if (entry === ours) {
          same++;
          return;
        }
        kept = firstEntries(this.entries, same);
      }
      if (entry !== undefined) kept.set(element, entry);
    });
    return kept === undefined ? this : setOf(kept);
  }
}

function firstEntries<K, V>(map: ReadonlyMap<K, V>, count: number): Map<K, V> {
  const first = new Map<K, V>();
  if (count === 0) return first;
  for (const [key, value] of map) {
    if (first.size === count) break;
    first.set(key, value);
  }
  return first;
}

/** Number of entries from which this pays. */
const MANY = 64;

/** The set without members. */
export const EMPTY_SET: FieldSet = new FieldSet(new Map());

function setOf(entries: Map<PathElement, FieldEntry>): FieldSet {
  return entries.size === 0 ? EMPTY_SET : new FieldSet(entries);
}

/** An entry, or undefined when it would be empty. */
export function entryOf(member: boolean, children: FieldSet | undefined): FieldEntry | undefined {
  if (children === undefined || children.empty) return member ? LEAF : undefined;
  return { member, children };
}

function equalEntries(a: FieldEntry, b: FieldEntry): boolean {
  if (a === b) return true;
  if (a.member !== b.member) return false;
  if (a.children === undefined || b.children === undefined) return a.children === b.children;
  return a.children.equals(b.children);
}

/** Returns `ours` itself when the other adds nothing. */
function unionOf(ours: FieldEntry, theirs: FieldEntry): FieldEntry {
  if (ours === theirs) return ours;
  const member = ours.member || theirs.member;
  const children =
    ours.children === undefined || theirs.children === undefined
      ? (ours.children ?? theirs.children)
      : ours.children.union(theirs.children);
  return member === ours.member && children === ours.children ? ours : { member, children };
}

function intersectionOf(ours: FieldEntry, theirs: FieldEntry): FieldEntry | undefined {
  const member = ours.member && theirs.member;
  const children =
    ours.children === undefined || theirs.children === undefined
      ? undefined
      : ours.children.intersection(theirs.children);
  return sameOr(ours, member, children);
}

function differenceOf(ours: FieldEntry, theirs: FieldEntry): FieldEntry | undefined {
  const children = theirs.children === undefined ? ours.children : ours.children?.difference(theirs.children);
  return sameOr(ours, ours.member && !theirs.member, children);
}

function recursiveDifferenceOf(ours: FieldEntry, theirs: FieldEntry): FieldEntry | undefined {
  if (theirs.member) return undefined;
  const children = theirs.children === undefined ? ours.children : ours.children?.recursiveDifference(theirs.children);
  return sameOr(ours, ours.member, children);
}

function sameOr(ours: FieldEntry, member: boolean, children: FieldSet | undefined): FieldEntry | undefined {
  return member === ours.member && children === ours.children ? ours : entryOf(member, children);
}

/** Collects paths. */
export class FieldSetBuilder {
  #root: Map<PathElement, FieldEntry> | undefined;

  /** Adds a path; the empty path is ignored. The array is not kept. */
  insert(path: FieldPathElements): void {
    if (path.length === 0) return;
    this.#root ??= new Map();
    let level = this.#root;
    const last = path.length - 1;
    for (let i = 0; i < last; i++) level = levelBelow(level, path[i] as PathElement);
    const element = path[last] as PathElement;
    const entry = level.get(element);
    if (entry === undefined) level.set(element, LEAF);
    else if (!entry.member) level.set(element, { member: true, children: entry.children });
  }

  /** Returns the collected set without a copy: nothing can be inserted afterwards. */
  build(): FieldSet {
    const root = this.#root;
    this.#root = undefined;
    return root === undefined ? EMPTY_SET : new FieldSet(root);
  }
}

/** Returns the level below an element, creating it if needed. Only builders change sets, before they are shared. */
function levelBelow(level: Map<PathElement, FieldEntry>, element: PathElement): Map<PathElement, FieldEntry> {
  const entry = level.get(element);
  if (entry?.children !== undefined) return entry.children.entries as Map<PathElement, FieldEntry>;
  const below = new Map<PathElement, FieldEntry>();
  level.set(element, { member: entry?.member ?? false, children: new FieldSet(below) });
  return below;
}
