import { describe, expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import { freezeJson } from '../../json/freeze-json.js';
import type { KubeObject, ManagedFieldsEntry } from '../../types/object-meta.js';
import { EMPTY_SET, FieldSet } from '../field-set/field-set.js';
import { capManagers } from './cap-managers.js';
import { keepManagedFieldsTimes } from './keep-times.js';
import {
  creatorEntry,
  decodeManagedFields,
  dropReplacedSets,
  encodeManagedFields,
  encodeManagedFieldsInSteps,
  type Managed,
  ManagedFieldsError,
  shareEntries,
} from './managed-entries.js';
import { managerIdentifier } from './manager-identifier.js';
import { fieldPathOf, managedFieldsFromScale, managedFieldsToScale } from './scale-managed-fields.js';

const entry = (over: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2024-01-02T03:04:05Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:a': {} },
  ...over,
});
const at = (second: number) => `2024-01-02T03:04:${String(second).padStart(2, '0')}Z`;

describe('creatorEntry', () => {
  const set = FieldSet.of(fieldPathOf('spec', 'a'));

  it.each([
    { manager: 'm', apiVersion: 'v1', subresource: '' },
    { manager: '', apiVersion: 'apps/v1', subresource: 'eviction' },
  ])('is the entry that an update by %j would leave', (identity) => {
    const identifier = managerIdentifier({ ...identity, operation: 'Update' });
    const entries = encodeManagedFields({
      managers: new Map([[identifier, { set, apiVersion: identity.apiVersion, applied: false }]]),
      times: new Map([[identifier, at(1)]]),
      entries: new Map(),
    });
    expect(JSON.stringify([creatorEntry(identity, set, at(1))])).toBe(JSON.stringify(entries));
  });

  it('is missing if nothing was sent', () => {
    expect(creatorEntry({ manager: 'm', apiVersion: 'v1', subresource: '' }, EMPTY_SET, at(1))).toBeUndefined();
  });
});

describe('decodeManagedFields', () => {
  it.each<[ManagedFieldsEntry, string]>([
    [entry({ operation: 'Merge' }), 'operation must be `Apply` or `Update`'],
    [entry({ apiVersion: '' }), 'apiVersion must not be empty'],
    [{ manager: 'm', operation: 'Apply', apiVersion: 'v1' }, 'missing fieldsType in managed fields entry 1'],
    [entry({ fieldsType: 'FieldsV2' }), 'invalid fieldsType "FieldsV2" in managed fields entry 1'],
    [entry({ fieldsV1: { a: {} } }), 'key must be 2 characters long:'],
  ])('refuses %j', (broken, message) => {
    expect(() => decodeManagedFields([entry(), broken])).toThrow(new ManagedFieldsError(message));
  });

  it('accepts entries without fields', () => {
    const { fieldsV1: _fields, ...bare } = entry();
    expect([...decodeManagedFields([bare]).managers.values()].map(({ set }) => set.empty)).toEqual([true]);
    expect(decodeManagedFields(undefined).managers.size).toBe(0);
  });

  type Entries = Parameters<typeof decodeManagedFields>[0];
  const setsOf = (entries: Entries) => [...decodeManagedFields(entries).managers.values()].map(({ set }) => set);

  it('decodes large immutable entries at most twice, others on every read', () => {
    const fieldsV1 = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f:${i}`, {}]));
    const large = () => [entry({ fieldsV1 })];
    const decodings = (entries: Entries) => new Set([1, 2, 3, 4].flatMap(() => setsOf(entries))).size;
    expect([decodings(freezeJson(large())), decodings(large())]).toEqual([2, 4]);
  });

  it('finds one set for equal small entries', () => {
    expect(setsOf([entry()])[0]).toBe(setsOf([entry({ manager: 'other', time: at(1) })])[0]);
  });

  it('keeps the encoded form of an object that is read repeatedly', () => {
    let entries: Entries = freezeJson([entry()]);
    const known = [1, 2, 3, 4].map((second) => {
      const managed = decodeManagedFields(entries);
      const [identifier = ''] = [...managed.managers.keys()];
      const owned = { set: FieldSet.of([`f:${second}`]), apiVersion: 'v1', applied: false };
      entries = encodeManagedFields({ ...managed, managers: new Map([[identifier, owned]]) }) ?? [];
      return setsOf(entries)[0] === owned.set;
    });
    expect(known).toEqual([false, true, true, true]);
  });
});

describe('encodeManagedFields', () => {
  it('returns unchanged entries: appliers first, then by time, manager, version, subresource', () => {
    const sorted = freezeJson([
      entry({ manager: 'b', operation: 'Apply', time: at(1) }),
      entry({ manager: 'a', operation: 'Apply', time: at(2) }),
      entry({ manager: 'z', time: null }),
      entry({ manager: 'a', time: at(3) }),
      entry({ manager: 'a', time: at(3), subresource: 'status' }),
      entry({ manager: 'a', time: at(3), apiVersion: 'v2' }),
      entry({ manager: 'b', time: at(3) }),
    ]);
    const encoded = encodeManagedFields(decodeManagedFields(sorted.toReversed())) ?? [];
    expect(encoded).toEqual(sorted);
    expect(encoded.every((one, i) => one === sorted[i])).toBe(true);
  });

  it('writes changed entries in the order of its fields', () => {
    const managed = decodeManagedFields(freezeJson([entry({ subresource: 'status' })]));
    const [identifier = '', owned] = [...managed.managers][0] ?? [];
    const changed: Managed = {
      ...managed,
      managers: new Map([
        [identifier, { apiVersion: 'v1', applied: false, ...owned, set: FieldSet.of(['f:b'], ['f:a', 'f:c']) }],
      ]),
      times: new Map([[identifier, at(9)]]),
    };
    expect(JSON.stringify(encodeManagedFields(changed))).toBe(
      '[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2024-01-02T03:04:09Z","fieldsType":"FieldsV1",' +
        '"fieldsV1":{"f:a":{"f:c":{}},"f:b":{}},"subresource":"status"}]',
    );
    expect(encodeManagedFields({ ...changed, managers: new Map() })).toBe(undefined);
  });

  it('needs no sets of entries whose set changed', () => {
    const known = freezeJson([entry(), entry({ manager: 'n' })]);
    const managed = decodeManagedFields(known);
    const [changed = '', kept = ''] = managed.managers.keys();
    const owned = { apiVersion: 'v1', applied: false, set: FieldSet.of(['f:b']) };
    const after: Managed = { ...managed, managers: new Map(managed.managers).set(changed, owned) };
    const dropped = dropReplacedSets(after);
    const sets = [changed, kept].map((identifier) => dropped.entries.get(identifier)?.owned.set.empty);
    expect(sets).toEqual([true, false]);
    expect(encodeManagedFields(dropped)).toEqual(encodeManagedFields(after));
    expect(encodeManagedFields(dropped)?.[1]).toBe(known[1]);
  });

  it('writes the same in steps, and removes the managers', () => {
    const frozen = freezeJson([entry(), entry({ manager: 'n', operation: 'Apply' }), entry({ manager: 'o' })]);
    for (const entries of [frozen, structuredClone(frozen)]) {
      const { managers, ...managed } = decodeManagedFields(entries);
      const [first = '', second = ''] = managers.keys();
      const changed = new Map(managers)
        .set(first, { apiVersion: 'v2', applied: false, set: FieldSet.of(['f:b']) })
        .set(second, { apiVersion: 'v1', applied: true, set: FieldSet.of(['f:a', 'f:c']) });
      const times = new Map(managed.times).set(first, at(9));
      const expected = encodeManagedFields({ ...managed, managers: new Map(changed), times });
      const encoded = atOnce(encodeManagedFieldsInSteps({ ...managed, managers: changed, times }));
      expect(JSON.stringify(encoded)).toBe(JSON.stringify(expected));
      expect(encoded?.map((one) => entries.includes(one))).toEqual(expected?.map((one) => entries.includes(one)));
      expect(changed.size).toBe(0);
    }
  });

  it('shares entries that a client sent back unchanged', () => {
    const known = freezeJson([entry(), entry({ manager: 'n' })]);
    const shared = shareEntries([entry(), entry({ manager: 'o' }), entry()], known);
    expect([shared[0] === known[0], shared[1] === known[1], shared.length]).toEqual([true, false, 3]);
  });
});

describe('capManagers', () => {
  const of = (count: number, over: (i: number) => ManagedFieldsEntry = () => ({})) =>
    Array.from({ length: count }, (_, i) =>
      entry({ manager: `m${i}`, time: at(i), fieldsV1: { [`f:${i}`]: {} }, ...over(i) }),
    );
  const summary = (managed: Managed) =>
    (encodeManagedFields(managed) ?? []).map(({ manager, apiVersion, time, fieldsV1 }) => [
      manager,
      apiVersion,
      time,
      Object.keys(fieldsV1 ?? {}),
    ]);

  it('leaves ten alone, and appliers', () => {
    const managed = decodeManagedFields([...of(10), entry({ manager: 'x', operation: 'Apply' })]);
    expect(capManagers(managed)).toBe(managed);
  });

  it('merges the oldest of a version', () => {
    expect(summary(capManagers(decodeManagedFields(of(12)))).slice(0, 2)).toEqual([
      ['ancient-changes', 'v1', at(2), ['f:0', 'f:1', 'f:2']],
      ['m3', 'v1', at(3), ['f:3']],
    ]);
  });

  it('does not merge versions, and leaves the first of each until there is a second', () => {
    const mixed = of(12, (i) => ({ apiVersion: i % 2 === 0 ? 'v1' : 'v2' }));
    expect(summary(capManagers(decodeManagedFields(mixed))).slice(0, 3)).toEqual([
      ['ancient-changes', 'v1', at(2), ['f:0', 'f:2']],
      ['ancient-changes', 'v2', at(3), ['f:1', 'f:3']],
      ['m4', 'v1', at(4), ['f:4']],
    ]);
  });

  it('continues with an existing bucket', () => {
    const once = encodeManagedFields(capManagers(decodeManagedFields(of(11)))) ?? [];
    const next = [...once, entry({ manager: 'new', time: at(20), fieldsV1: { 'f:x': {} } })];
    expect(summary(capManagers(decodeManagedFields(next)))[0]).toEqual([
      'ancient-changes',
      'v1',
      at(2),
      ['f:0', 'f:1', 'f:2'],
    ]);
  });
});

describe('managed fields of a scale', () => {
  const paths = { 'apps/v1': fieldPathOf('spec', 'replicas'), 'x/v1': null };
  const replicas = { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } };
  const scaleFields = { 'f:spec': { 'f:replicas': {} } };
  const parent = [
    entry({ manager: 'a', operation: 'Apply', apiVersion: 'apps/v1', fieldsV1: replicas }),
    entry({ manager: 'b', apiVersion: 'apps/v1', fieldsV1: { 'f:spec': { 'f:paused': {} } } }),
    entry({ manager: 'c', apiVersion: 'x/v1', fieldsV1: replicas }),
    entry({ manager: 'd', apiVersion: 'unknown/v1', fieldsV1: replicas }),
  ];

  it('are the managers of the replicas', () => {
    expect(managedFieldsToScale(parent, paths)).toEqual([
      entry({ manager: 'a', operation: 'Apply', apiVersion: 'autoscaling/v1', fieldsV1: scaleFields }),
    ]);
  });

  it('stay while the same manager has them', () => {
    const scale = managedFieldsToScale(parent, paths);
    expect(managedFieldsFromScale(scale, parent, { apiVersion: 'apps/v1', paths })).toEqual(parent.slice(0, 3));
  });

  it('move to the manager of the scale, without a time', () => {
    const scale = [entry({ manager: 's', apiVersion: 'autoscaling/v1', subresource: 'scale', fieldsV1: scaleFields })];
    const { time: _time, ...moved } = entry({
      manager: 's',
      apiVersion: 'apps/v1',
      subresource: 'scale',
      fieldsV1: scaleFields,
    });
    expect(managedFieldsFromScale(scale, parent, { apiVersion: 'apps/v1', paths })).toEqual([
      entry({ manager: 'a', operation: 'Apply', apiVersion: 'apps/v1', fieldsV1: { 'f:spec': { 'f:paused': {} } } }),
      moved,
      ...parent.slice(1, 3),
    ]);
  });
});

describe('keepManagedFieldsTimes', () => {
  const object = (data: string, ...managedFields: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', managedFields },
    data: { data },
  });
  it.each<[string, KubeObject, KubeObject, string | null | undefined]>([
    ['nothing else changed', object('x', entry({ time: at(9) })), object('x', entry()), at(5)],
    ['the object changed', object('y', entry({ time: at(9) })), object('x', entry()), at(9)],
    ['the fields changed', object('x', entry({ time: at(9), fieldsV1: {} })), object('x', entry()), at(9)],
    ['a manager came', object('x', entry({ time: at(9) }), entry({ manager: 'n' })), object('x', entry()), at(9)],
  ])('%s', (_name, updated, old, time) => {
    const before = structuredClone(old);
    keepManagedFieldsTimes(updated, freezeJson(old));
    expect(updated.metadata.managedFields?.[0]?.time).toBe(time);
    expect(old).toEqual(before);
  });
});
