import { LaterMembers } from '../../json/later-members.js';
import { EMPTY_SET, entryOf, type FieldEntry, FieldSet, LEAF } from '../field-set/field-set.js';
import type { MergeList, MergeMap, MergeType } from '../field-set/merge-type.js';
import { fieldElement, NO_ELEMENT, type PathElement } from '../field-set/path-element.js';
import { itemElements } from './list-items.js';
import { asList, asMap, isEmptyMap, isScalarMap, memberType, shapeKind } from './value-shape.js';

/**
 * Every leaf and every list item that a value mentions. Validated values have only items with elements. A pruned value
 * may have others, which are one member, `NO_ELEMENT`: their list is not empty.
 *
 * Upstream: TypedValue.ToFieldSet in sigs.k8s.io/structured-merge-diff/v6/typed/tofieldset.go
 */
export function toFieldSet(type: MergeType, value: unknown): FieldSet {
  return entryFor(type, value, undefined)?.children ?? EMPTY_SET;
}

/** Knowledge about the result of `toFieldSetInSteps`. It concerns the scalars of large maps. */
export interface FieldSetHints {
  /** Members of it may be left out. */
  readonly except?: FieldSet | undefined;
  /** Sets whose parts the result shares where it would have equal ones. */
  readonly like?: readonly FieldSet[];
}

const NO_HINTS: FieldSetHints = Object.freeze({});

/** The same of a valid value in steps, for large ones. */
export function* toFieldSetInSteps(
  type: MergeType,
  value: unknown,
  hints: FieldSetHints = NO_HINTS,
): Generator<void, FieldSet> {
  const later = new LaterMembers();
  const set = entryFor(type, value, { later, hints })?.children ?? EMPTY_SET;
  yield* later.run();
  return set;
}

/** Members and items that are added between two pauses. */
const SLICE = 4_096;

/** A walk in steps. */
interface Steps {
  /** Takes the entries of large maps and lists. */
  readonly later: LaterMembers;
  /** The hints for this place. */
  readonly hints: FieldSetHints;
}

/** Undefined if everything is done at once. */
type Later = Steps | undefined;

type Entries = Map<PathElement, FieldEntry>;

function entryFor(type: MergeType, value: unknown, later: Later): FieldEntry | undefined {
  switch (shapeKind(type, value)) {
    case 'map':
      return mapEntry(type.map as MergeMap, value, later);
    case 'scalar':
      return LEAF;
    default:
      return listEntry(type.list as MergeList, value, later);
  }
}

function mapEntry(map: MergeMap, value: unknown, later: Later): FieldEntry | undefined {
  if (map.atomic) return LEAF;
  const members = asMap(value);
  if (members === undefined) return undefined;
  const names = wantedNames(map, Object.keys(members), later);
  const equal = later && equalSet(map, names, later);
  if (equal !== undefined) return { member: false, children: equal };
  const entries: Entries = new Map();
  const add = (start: number, end: number) => {
    for (let i = start; i < end; i++) {
      const name = names[i] as string;
      addMember(entries, map, { name, member: members[name], later });
    }
  };
  addAll(names.length, add, later);
  return entryOf(false, new FieldSet(entries));
}

function isLarge(map: MergeMap, names: readonly string[]): boolean {
  return names.length > SLICE && isScalarMap(map);
}

function wantedNames(map: MergeMap, names: string[], later: Later): readonly string[] {
  const except = later?.hints.except;
  if (except === undefined || except.empty || !isLarge(map, names)) return names;
  return names.filter((name) => except.entries.get(fieldElement(name))?.member !== true);
}

/** The set that has these scalars and nothing else, if there is one already. */
function equalSet(map: MergeMap, names: readonly string[], { hints }: Steps): FieldSet | undefined {
  if (hints.like === undefined || !isLarge(map, names)) return undefined;
  return hints.like.find(
    ({ entries }) => entries.size === names.length && names.every((name) => entries.get(fieldElement(name)) === LEAF),
  );
}

/** Adds entries by index: of a large value only the first slice now, so that its set is not empty. */
function addAll(count: number, add: (start: number, end: number) => void, later: Later): void {
  if (later === undefined || count <= SLICE) {
    add(0, count);
    return;
  }
  add(0, SLICE);
  later.later.add(laterSlices(count, add));
}

function* laterSlices(count: number, add: (start: number, end: number) => void): Generator<void, void> {
  for (let start = SLICE; start < count; start += SLICE) {
    yield;
    add(start, Math.min(start + SLICE, count));
  }
}

interface NamedMember {
  readonly name: string;
  readonly member: unknown;
  readonly later: Later;
}

function addMember(entries: Entries, map: MergeMap, { name, member, later }: NamedMember): void {
  const field = map.fields.get(name);
  const type = memberType(map, name);
  const entry = type === undefined ? undefined : entryFor(type, member, below(later, field?.element));
  const isWhole = field === undefined || member === null || (entry?.children === undefined && isNoMembers(member));
  const whole = isWhole ? entryOf(true, entry?.children) : entry;
  if (whole !== undefined) entries.set(field?.element ?? fieldElement(name), whole);
}

/** Only fields of structs have large maps below them for which hints are worth their time. */
function below(later: Later, element: PathElement | undefined): Later {
  if (later === undefined || later.hints === NO_HINTS) return later;
  return { later: later.later, hints: element === undefined ? NO_HINTS : hintsBelow(later.hints, element) };
}

function hintsBelow({ except, like = [] }: FieldSetHints, element: PathElement): FieldSetHints {
  return { except: except?.below(element), like: like.flatMap((set) => set.below(element) ?? []) };
}

function isNoMembers(value: unknown): boolean {
  const map = asMap(value);
  return map !== undefined && isEmptyMap(map);
}

function listEntry(list: MergeList, value: unknown, later: Later): FieldEntry | undefined {
  if (list.atomic) return LEAF;
  const items = asList(value);
  if (items === undefined) return undefined;
  const entries: Entries = new Map();
  const add = (start: number, end: number) => {
    const slice = end - start === items.length ? items : items.slice(start, end);
    addItems(entries, list, { items: slice, later });
  };
  addAll(items.length, add, later);
  return entryOf(false, new FieldSet(entries));
}

interface Items {
  readonly items: readonly unknown[];
  readonly later: Later;
}

function addItems(entries: Entries, list: MergeList, { items, later }: Items): void {
  const elements = itemElements(list, items, () => {});
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    if (element === undefined) {
      entries.set(NO_ELEMENT, LEAF);
      continue;
    }
    const before = entries.size;
    entries.set(element, LEAF);
    // The set has the element of a duplicate, but nothing inside its copies.
    const children =
      entries.size === before ? undefined : entryFor(list.element, items[i], below(later, undefined))?.children;
    if (children !== undefined) entries.set(element, { member: true, children });
  }
}
