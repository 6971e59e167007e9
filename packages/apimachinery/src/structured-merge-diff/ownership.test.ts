import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../clock/at-once.js';
import { list, map, STRING, struct } from '../schema/builders.js';
import type { StructSchema } from '../schema/schema.js';
import { ApplyConflicts, eachConflict } from './apply-conflicts.js';
import { EMPTY_SET, FieldSet } from './field-set/field-set.js';
import { fieldsV1Of, parseFieldsV1 } from './field-set/fields-v1.js';
import { mergeTypeOfKind } from './field-set/merge-type.js';
import { printFieldPath } from './field-set/path-element.js';
import type { Managers, VersionedSet } from './managed-fields/managers.js';
import { ownApply as applyAtOnce, ownApplyInSteps, ownUpdateInSteps, ownUpdate as updateAtOnce } from './ownership.js';
import { pruneItems } from './prune-items.js';
import { compareTyped } from './typed/compare-typed.js';
import { mergeTyped } from './typed/merge-typed.js';
import { toFieldSet } from './typed/to-field-set.js';
import type { MergeContext, TypedValue } from './typed/typed-value.js';

const item: StructSchema = struct('t.Item', 't.Item', () => [
  ['k', 1, STRING, 1],
  ['v', 2, STRING, 1],
  ['w', 3, STRING, 1],
]);
/** Absent keys have a zero value. */
const required: StructSchema = struct('t.Required', 't.Required', () => [
  ['k', 1, STRING],
  ['v', 2, STRING, 1],
]);
const schema: StructSchema = struct('t.Object', 't.Object', () => [
  ['a', 1, STRING, 1],
  ['b', 2, STRING, 1],
  ['o', 3, map(STRING), 1],
  ['set', 4, list(STRING, 'set'), 1],
  ['items', 5, list(item, ['k']), 1],
  ['list', 6, list(STRING), 1],
  ['named', 7, list(required, ['k']), 1],
  ['kept', 8, list(STRING), 1, { keptWhenEmpty: true }],
]);
const type = mergeTypeOfKind({ schema, semantics: 'typed' });
const typed = (value: unknown): TypedValue => ({ apiVersion: 'v1', type, value });
const context: MergeContext = {
  convert: () => undefined,
  withoutEmpty: (value) => value,
  resetFieldsIn: () => EMPTY_SET,
};

const setsOf = (managers: Managers): Readonly<Record<string, FieldSet>> =>
  Object.fromEntries([...managers].map(([manager, { set }]) => [manager, set]));

const application = (config: unknown, force: boolean) => ({
  applied: typed(config),
  mentioned: toFieldSet(type, config),
  force,
});

interface State {
  readonly value: unknown;
  readonly managers: Managers;
}
const nothing: State = { value: {}, managers: new Map() };

function apply(state: State, manager: string, config: unknown, force = false): State {
  const write = { live: typed(state.value), managers: state.managers, manager };
  const { value, managers } = ownApply(context, write, application(config, force));
  return { value: value.value, managers };
}

const ownApply = (...[merging, write, { applied, ...application }]: Parameters<typeof applyAtOnce>) =>
  bothWays(
    () => applyAtOnce(merging, write, { applied, ...application }),
    () =>
      atOnce(
        ownApplyInSteps(merging, write, {
          ...application,
          apiVersion: applied.apiVersion,
          takeApplied: () => applied,
        }),
      ),
  );
const ownUpdate = (...args: Parameters<typeof ownUpdateInSteps>) =>
  bothWays(
    () => updateAtOnce(...args),
    () => atOnce(ownUpdateInSteps(...args)),
  );

/** The stepwise and the synchronous function have the same result, errors included. */
function bothWays<T>(once: () => T, steps: () => T): T {
  const outcome = (work: () => T): unknown => {
    try {
      return plain(work());
    } catch (error) {
      return error instanceof ApplyConflicts ? error.fields.map(plain) : error;
    }
  };
  expect(outcome(steps)).toEqual(outcome(once));
  return once();
}

/** Sets as their text, managers as lists: caches inside sets must not count. */
function plain(value: unknown): unknown {
  if (value instanceof FieldSet) return fieldsV1Of(value);
  if (value instanceof Map) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value === type) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** The new state, or the conflicts as lines. */
function tryApply(state: State, manager: string, config: unknown, force: boolean): State | readonly string[] {
  try {
    return apply(state, manager, config, force);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    return [...eachConflict(error.fields)].map(({ manager: other, path }) => `${other} ${printFieldPath(path)}`).sort();
  }
}

const ownedBy = (managers: Managers): Record<string, readonly string[]> =>
  Object.fromEntries([...managers].map(([manager, { set }]) => [manager, [...set.paths()].map(printFieldPath).sort()]));

// Small alphabets, so that managers share fields. Empty containers are excluded: the tables below cover them.
const text = fc.constantFrom('1', '2');
const optional = { requiredKeys: [] };
const items = fc.uniqueArray(
  fc.record({ k: fc.constantFrom('x', 'y', 'z'), v: text, w: text }, { requiredKeys: ['k'] }),
  {
    selector: ({ k }) => k,
    minLength: 1,
  },
);
const config = fc.record(
  {
    a: text,
    b: text,
    o: fc.dictionary(fc.constantFrom('p', 'q', 'r'), text, { minKeys: 1 }),
    set: fc.uniqueArray(fc.constantFrom('s', 't', 'u'), { minLength: 1 }),
    items,
    list: fc.array(text, { minLength: 1, maxLength: 2 }),
  },
  optional,
);
const step = fc.record({ manager: fc.constantFrom('m1', 'm2', 'm3'), config, force: fc.boolean() });

describe('pruneItems', () => {
  it('returns the same value if its applier drops nothing, as the full algorithm does', () => {
    const pruning = fc.record({ live: config, owned: config, applied: config, others: config, same: fc.boolean() });
    let dropped = 0;
    fc.assert(
      fc.property(pruning, ({ live, owned, applied, others, same }) => {
        const set = toFieldSet(type, applied);
        const managers = new Map<string, VersionedSet>([
          ['m1', { set, apiVersion: 'v1', applied: true }],
          ['m2', { set: toFieldSet(type, others), apiVersion: 'v1', applied: true }],
        ]);
        // The fields that others took in the meantime.
        const lost = toFieldSet(type, others);
        const last = { set: (same ? set : toFieldSet(type, owned)).difference(lost), apiVersion: 'v1', applied: true };
        const merged = typed(mergeTyped(type, live, applied));
        const prune = () => pruneItems(context, merged, { managers, manager: 'm1', last }).value;
        const short = prune();
        // A version that no longer exists changes nothing, but disables the fast path.
        managers.set('old', { set: lost, apiVersion: 'v0', applied: true });
        if (short !== merged.value) dropped++;
        expect(short).toEqual(prune());
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 2_000 },
    );
    expect(dropped).toBeGreaterThan(100);
  });
});

describe('appliers', () => {
  it('own and merge like a slow model', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let state = nothing;
        let model: Model = { live: new Map(), owners: new Map() };
        for (const { manager, config: applied, force } of steps) {
          const outcome = tryApply(state, manager, applied, force);
          const expected = modelApply(model, manager, leavesOf(applied), force);
          if (Array.isArray(expected) || Array.isArray(outcome)) {
            expect(outcome).toEqual(expected);
            continue;
          }
          state = outcome as State;
          model = expected as Model;
          expect(ownedBy(state.managers)).toEqual(
            Object.fromEntries([...model.owners].map(([owner, leaves]) => [owner, [...leaves.keys()].sort()])),
          );
          expect(sorted(leavesOf(state.value))).toEqual(sorted(model.live));
        }
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
    );
  });

  it('take items from others with an empty list, also where objects omit it', () => {
    const other = apply(nothing, 'm1', { kept: ['1'], list: ['1'] });
    const config = { kept: [], list: [] };
    expect(tryApply(other, 'm2', config, false)).toEqual(['m1 .kept', 'm1 .list']);
    expect(ownedBy(apply(other, 'm2', config, true).managers)).toEqual({ m2: ['.kept', '.list'] });
  });

  it('have no effect when repeated', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), step, (steps, last) => {
        const before = steps.reduce(
          (state, { manager, config: applied }) => apply(state, manager, applied, true),
          nothing,
        );
        const once = apply(before, last.manager, last.config, true);
        const twice = apply(once, last.manager, last.config);
        expect(twice.value).toEqual(once.value);
        expect(ownedBy(twice.managers)).toEqual(ownedBy(once.managers));
      }),
    );
  });

  it('of different fields commute', () => {
    const left = fc.record(
      { a: text, o: fc.constant({ p: '1' }), set: fc.constant(['s']), items: fc.constant([{ k: 'x', v: '1' }]) },
      optional,
    );
    const right = fc.record(
      {
        b: text,
        o: fc.constant({ q: '2' }),
        set: fc.constant(['t']),
        items: fc.constant([{ k: 'y', w: '2' }]),
        list: fc.constant(['1']),
      },
      optional,
    );
    fc.assert(
      fc.property(left, right, (one, two) => {
        const forth = apply(apply(nothing, 'm1', one), 'm2', two);
        const back = apply(apply(nothing, 'm2', two), 'm1', one);
        expect(sorted(leavesOf(forth.value))).toEqual(sorted(leavesOf(back.value)));
        expect(ownedBy(forth.managers)).toEqual(ownedBy(back.managers));
      }),
    );
  });

  it('without others are not compared with the live value', () => {
    const uncompared: MergeContext = {
      withoutEmpty: (value) => value,
      convert: () => undefined,
      resetFieldsIn(): never {
        throw new Error('compared');
      },
    };
    const state = apply(nothing, 'm1', { a: '1', o: { p: '1' } });
    const of = (manager: string, config: unknown) =>
      ownApply(uncompared, { live: typed(state.value), managers: state.managers, manager }, application(config, true));
    const { value, managers } = of('m1', { a: '2' });
    expect([value.value, ownedBy(managers)]).toEqual([{ a: '2' }, { m1: ['.a'] }]);
    expect(of('m1', {}).managers.size).toBe(0);
    expect(() => of('m2', { a: '2' })).toThrow('compared');
  });

  it('find all faults of a live value without a comparison', () => {
    const json = fc.oneof(text, fc.constant(null), fc.integer(), fc.array(text), fc.dictionary(text, text));
    const faultyItem = fc.dictionary(fc.constantFrom('k', 'v', 'other'), json);
    const faultyList = fc.array(fc.oneof(json, faultyItem));
    const members = { a: json, o: fc.oneof(json, fc.dictionary(text, json)), set: faultyList, items: faultyList };
    const faulty = fc.record({ ...members, other: json }, optional);
    let faults = 0;
    fc.assert(
      fc.property(faulty, config, (live, applied) => {
        let merged: unknown;
        try {
          merged = mergeTyped(type, live, applied);
        } catch {
          faults++;
          return;
        }
        compareTyped(type, live, merged);
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 2_000 },
    );
    expect(faults).toBeGreaterThan(100);
  });

  it('leave a list item alone that another one owns without its fields', () => {
    const owning = (text: string) => ({ set: parseFieldsV1(JSON.parse(text)), apiVersion: 'v1', applied: true });
    const managers = new Map([
      ['m1', owning('{"f:items":{"k:{\\"k\\":\\"y\\"}":{".":{},"f:k":{}}}}')],
      ['m2', owning('{"f:items":{"k:{\\"k\\":\\"x\\"}":{}}}')],
    ]);
    const { value, managers: after } = apply({ value: { items: [{ k: 'x' }, { k: 'y' }] }, managers }, 'm1', {
      a: '1',
    });
    expect([value, ownedBy(after)]).toEqual([
      { a: '1', items: [{ k: 'x' }] },
      { m1: ['.a'], m2: ['.items[k="x"]'] },
    ]);
  });

  it('remove an item that they repeat without its fields, as upstream does', () => {
    const once = apply(nothing, 'm1', { a: '1', named: [{}] });
    expect([once.value, ownedBy(once.managers)]).toEqual([{ a: '1', named: [{}] }, { m1: ['.a', '.named[k=""]'] }]);
    const defaulted = { ...once, value: { a: '1', named: [{ k: '' }, { k: 'x' }] } };
    const repeated = (item: object) => apply(defaulted, 'm1', { a: '1', named: [item] }).value;
    expect([repeated({}), repeated({ v: '2' })]).toEqual([
      { a: '1', named: [{ k: 'x' }] },
      { a: '1', named: [{ k: '', v: '2' }, { k: 'x' }] },
    ]);
  });

  it('may leave an empty struct behind, and own one', () => {
    const first = apply(nothing, 'm1', { o: { p: '1' }, a: '1' });
    const emptied = apply(first, 'm1', { o: {} });
    expect([emptied.value, ownedBy(emptied.managers)]).toEqual([{ o: null }, { m1: ['.o'] }]);
    expect(apply(first, 'm1', {}).value).toBe(null);
  });
});

function sorted(leaves: Leaves): readonly (readonly [string, unknown])[] {
  return [...leaves].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('updates', () => {
  it('own what they change, whoever owned it, and leave the rest', () => {
    fc.assert(
      fc.property(config, config, config, (one, two, updated) => {
        const before = apply(apply(nothing, 'm1', one), 'm2', two, true);
        const managers = ownUpdate(
          context,
          { live: typed(before.value), managers: before.managers, manager: 'u' },
          typed(updated),
        );
        const present = leavesOf(updated);
        const old = leavesOf(before.value);
        const own = managers.get('u')?.set ?? EMPTY_SET;
        for (const path of own.paths()) {
          const printed = printFieldPath(path);
          if (present.has(printed)) expect(old.get(printed)).not.toEqual(present.get(printed));
        }
        for (const manager of ['m1', 'm2']) {
          const kept = managers.get(manager)?.set ?? EMPTY_SET;
          const had = before.managers.get(manager)?.set ?? EMPTY_SET;
          expect(kept.difference(had).empty).toBe(true);
          expect(kept.intersection(own).empty).toBe(true);
          for (const path of had.difference(kept).paths()) {
            const printed = printFieldPath(path);
            expect(present.get(printed)).not.toEqual(old.get(printed));
          }
        }
      }),
    );
  });

  it('leave a manager that regains the change as if it had lost it first, and unchanged if it owned all of it', () => {
    fc.assert(
      fc.property(config, config, config, (one, two, updated) => {
        const before = apply(apply(nothing, 'm1', one), 'm2', two, true);
        const write = { live: typed(before.value), managers: before.managers, manager: 'u' };
        const given = (regains: boolean) => {
          const kept = { ...write, regains: (manager: string) => regains && manager === 'm1' };
          const { m1 = EMPTY_SET, m2, u = EMPTY_SET } = setsOf(ownUpdate(context, kept, typed(updated)));
          return { m1: fieldsV1Of(m1.union(u)), m2: m2 && fieldsV1Of(m2) };
        };
        expect(given(true)).toEqual(given(false));
      }),
    );
    const managers = apply(nothing, 'm1', { a: '1', o: { p: '1' } }).managers;
    const write = { live: typed({ a: '1', o: { p: '1' } }), managers, manager: 'u', regains: () => true };
    const after = ownUpdate(context, write, typed({ a: '1', o: { p: '2' } }));
    expect(after.get('m1')).toBe(managers.get('m1'));
  });

  it('own no reset fields', () => {
    const managers = ownUpdate(
      { ...context, resetFieldsIn: () => FieldSet.of(['f:o'], ['f:a']) },
      { live: typed({}), managers: new Map(), manager: 'u' },
      typed({ a: '1', b: '1', o: { p: '1' } }),
    );
    expect(ownedBy(managers)).toEqual({ u: ['.b'] });
  });
});

describe('versions', () => {
  const renamed: StructSchema = struct('t.Renamed', 't.Renamed', () => [
    ['alpha', 1, STRING, 1],
    ['o', 3, map(STRING), 1],
  ]);
  const v2 = mergeTypeOfKind({ schema: renamed, semantics: 'typed' });
  const versions: MergeContext = {
    withoutEmpty: (value) => value,
    resetFieldsIn: () => EMPTY_SET,
    convert: ({ apiVersion: from, value }, apiVersion) => {
      if (apiVersion !== 'v1' && apiVersion !== 'v2') return undefined;
      const { a, alpha, ...rest } = (value ?? {}) as { readonly a?: string; readonly alpha?: string };
      const name = from === 'v1' ? a : alpha;
      const key = apiVersion === 'v1' ? 'a' : 'alpha';
      return {
        apiVersion,
        type: apiVersion === 'v1' ? type : v2,
        value: name === undefined ? rest : { ...rest, [key]: name },
      };
    },
  };
  const set = (fields: object) => parseFieldsV1(fields as never);
  const managers: Managers = new Map([
    ['old', { apiVersion: 'v2', applied: true, set: set({ 'f:alpha': {}, 'f:o': { 'f:p': {} } }) }],
    ['gone', { apiVersion: 'v0', applied: true, set: set({ 'f:a': {} }) }],
  ]);
  const live = typed({ a: '1', o: { p: '1', q: '1' } });

  it('have their own paths for the same field', () => {
    const after = ownUpdate(versions, { live, managers, manager: 'u' }, typed({ a: '2', o: { p: '1', q: '1' } }));
    expect([...after].map(([manager, owned]) => [manager, owned.apiVersion, fieldsV1Of(owned.set)])).toEqual([
      ['old', 'v2', { 'f:o': { 'f:p': {} } }],
      ['u', 'v1', { 'f:a': {} }],
    ]);
    const conflicting = () => ownApply(versions, { live, managers, manager: 'm' }, application({ a: '2' }, false));
    expect(conflicting).toThrow(new ApplyConflicts([{ manager: 'old', set: FieldSet.of(['f:alpha']) }]).message);
  });

  it('are changed by an applier, which still gives up what it owned', () => {
    const { value, managers: after } = ownApply(
      versions,
      { live, managers, manager: 'old' },
      application({ o: { p: '1' } }, false),
    );
    expect(value).toEqual(typed({ o: { p: '1', q: '1' } }));
    expect([...after].map(([manager, owned]) => [manager, owned.apiVersion, fieldsV1Of(owned.set)])).toEqual([
      ['old', 'v1', { 'f:o': { 'f:p': {} } }],
    ]);
  });
});

/** Leaves and list items of an object by their printed path, with their values; true marks the presence of an item. */
type Leaves = ReadonlyMap<string, unknown>;

/** Server-side apply as a table: the live object, and each applier's fields with the applied values. */
interface Model {
  readonly live: Leaves;
  readonly owners: ReadonlyMap<string, Leaves>;
}

/**
 * The result of an apply in the model: the new state, or the conflicts as sorted lines. Deliberately slow and plain: it
 * knows neither trees nor schemas.
 */
function modelApply(model: Model, manager: string, leaves: Leaves, force: boolean): Model | readonly string[] {
  const others = [...model.owners].filter(([owner]) => owner !== manager);
  const changed = (path: string) => leaves.has(path) && !isSame(model.live.get(path), leaves.get(path));
  const conflicts = others.flatMap(([owner, owned]) =>
    [...owned.keys()].filter(changed).map((path) => `${owner} ${path}`),
  );
  if (conflicts.length > 0 && !force) return conflicts.sort();
  const owners = new Map<string, Leaves>();
  for (const [owner, owned] of others) {
    const kept = new Map([...owned].filter(([path]) => !changed(path)));
    if (kept.size > 0) owners.set(owner, kept);
  }
  if (leaves.size > 0) owners.set(manager, leaves);
  return { live: ownedLeaves(model.live, leaves, owners), owners };
}

/** All fields have owners, so that fields without one are removed. */
function ownedLeaves(live: Leaves, applied: Leaves, owners: Model['owners']): Leaves {
  const merged = new Map([...live, ...applied]);
  return new Map([...merged].filter(([path]) => [...owners.values()].some((owned) => owned.has(path))));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

interface TestObject {
  readonly a?: string;
  readonly b?: string;
  readonly o?: Readonly<Record<string, string>> | null;
  readonly set?: readonly string[] | null;
  readonly items?: readonly { readonly k: string; readonly v?: string; readonly w?: string }[] | null;
  readonly list?: readonly string[] | null;
}

/** The leaves of an object of the tests' schema. */
function leavesOf(value: unknown): Leaves {
  const { a, b, o, set, items, list } = (value ?? {}) as TestObject;
  const leaves = new Map<string, unknown>();
  const add = (path: string, leaf: unknown) => leaf !== undefined && leaf !== null && leaves.set(path, leaf);
  add('.a', a);
  add('.b', b);
  add('.list', list);
  for (const [key, member] of Object.entries(o ?? {})) add(`.o.${key}`, member);
  for (const member of set ?? []) add(`.set[="${member}"]`, true);
  for (const { k, v, w } of items ?? []) {
    const path = `.items[k="${k}"]`;
    add(path, true);
    add(`${path}.k`, k);
    add(`${path}.v`, v);
    add(`${path}.w`, w);
  }
  return leaves;
}
