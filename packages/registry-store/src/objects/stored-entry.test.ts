import type { KindSchema } from '@apiserver/apimachinery/schema';
import { everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { WireForm } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { KeptForms } from '../kept/kept-forms.js';
import { FormMemory } from '../kept/object-forms.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache, newWidgetContext } from '../testing/widget-cache.js';
import { widgetKind } from '../testing/widget-kind.js';
import { DecodedObjects } from './decoded-objects.js';
import { type EntryKind, StoredEntry } from './stored-entry.js';
import { initialEventsEnd, isInitialEventsEnd, newBookmark } from './watch/bookmark-event.js';

it('keeps selectable fields no longer than the decoded objects they come from', async () => {
  const clock = new ManualClock();
  await using store = createMemoryStore({ clock, compactionInterval: 0 });
  const decoded = new DecodedObjects(1000);
  await using cache = newWidgetCache({ store, clock, decoded });
  for (let i = 0; i < 50; i++) {
    const name = `w${i}`;
    await cache.create(`ns/${name}`, widget({ name, namespace: 'ns', uid: name }, { spec: { color: 'red' } }));
  }
  const everything = { labelSelector: everythingSelector, fieldSelector: parseFieldSelector('') };
  const { items } = await cache.list('', everything);
  const fields = () => items.map((item) => (item as StoredEntry<never>).fields);
  const before = fields();
  expect(decoded.bytes).toBeLessThanOrEqual(1000);
  const kept = fields().filter((now, i) => now === before[i]);
  expect([kept.length < 10, fields()]).toEqual([true, before]);
});

const METADATA: WireForm = { contentType: 'application/json', group: 'g', version: 'v1', kind: 'Metadata' };

function kindOf(changes: Partial<EntryKind<Widget>> = {}, options: { indexedField?: string } = {}): EntryKind<Widget> {
  const store = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
  return { ...newWidgetContext({ store, ...options }).kind, ...changes };
}

function entryOf(object: Widget, changes: Partial<EntryKind<Widget>> = {}, options: { indexedField?: string } = {}) {
  const kind = kindOf(changes, options);
  const { name, namespace } = object.metadata;
  const { bytes } = kind.form.wire(kind.form.encode(object), 7);
  return new StoredEntry<Widget>(kind, `${namespace}/${name}`, 7, { bytes, stale: false });
}
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const red = widget({ name: 'a', namespace: 'ns', labels: { size: 'L' } }, { spec: { color: 'red' } });

describe('another form of an entry', () => {
  const kept = () => {
    const bound = new KeptForms(new ManualClock());
    return { bound, entry: entryOf(red, { formMemory: new FormMemory(bound) }) };
  };

  it('is kept while the entry is in a cache', () => {
    const { bound, entry } = kept();
    const shown = () => [text(entry.wire(METADATA)), bound.bytes];
    entry.keep(METADATA, Buffer.from('early'));
    const before = shown();
    entry.enterCache();
    entry.keep(METADATA, Buffer.from('form'));
    const during = shown();
    entry.leaveCache();
    entry.keep(METADATA, Buffer.from('late'));
    expect([before, during, shown()]).toEqual([
      [undefined, 0],
      ['form', 4],
      [undefined, 0],
    ]);
  });

  it('is kept by nobody where there is no memory for it', () => {
    const entry = entryOf(red);
    entry.enterCache();
    entry.keep(METADATA, Buffer.from('form'));
    expect(entry.wire(METADATA)).toBeUndefined();
  });

  it('counts the entry once, however often it enters and leaves', () => {
    const { bound, entry } = kept();
    const counted = vi.spyOn(bound, 'countCached');
    for (const change of ['enterCache', 'enterCache', 'leaveCache', 'leaveCache'] as const) entry[change]();
    expect(counted.mock.calls).toEqual([[entry.byteLength], [-entry.byteLength]]);
  });

  it.each([
    ['contentType', 'application/yaml'],
    ['group', 'g'],
    ['version', 'v2'],
    ['kind', 'Other'],
  ])('differs from the wire bytes by its %s', (part, other) => {
    const entry = entryOf(red);
    const own = { contentType: 'application/json', group: 'example.com', version: 'v1', kind: 'Widget' };
    expect([entry.wire(own), entry.wire({ ...own, [part]: other })]).toEqual([entry.bytes, undefined]);
  });
});

describe('the parts of wire bytes', () => {
  it('are the metadata, if this server has written it', () => {
    const own = entryOf(red, { ownKind: widgetKind });
    const metadata = JSON.stringify(own.object.metadata);
    expect([text(own.metadataJson()), text(own.metadataJson())]).toEqual([metadata, metadata]);
    own.moveTo(Buffer.concat([Buffer.from('other'), own.bytes]), 5);
    expect(text(own.metadataJson())).toBe(metadata);
    expect(entryOf(red).metadataJson()).toBeUndefined();
    const large = { ...red, spec: { color: 'x'.repeat(256 * 1024) } };
    expect(entryOf(large, { ownKind: widgetKind }).metadataJson()).toBeUndefined();
    const late = { ...red, kind: 'k'.repeat(4096) } as Widget;
    expect(entryOf(late, { ownKind: widgetKind }).metadataJson()).toBeUndefined();
  });

  it('are the labels, and an empty set without any', () => {
    const bare = entryOf(widget({ name: 'a', namespace: 'ns' }));
    expect([entryOf(red).labels, bare.labels]).toEqual([{ size: 'L' }, {}]);
  });

  it.each([
    ['spec.color', 'red'],
    ['spec.text', ''],
    ['metadata.name', 'a'],
    ['status.phase', ''],
    ['metadata.labels', ''],
    ['kind.name', ''],
  ])('are the indexed field: %s is "%s"', (indexedField, value) => {
    const entry = entryOf(red, {}, { indexedField });
    expect([entry.indexedValue, entry.unparsedFields]).toEqual([
      value,
      { 'metadata.name': 'a', 'metadata.namespace': 'ns', [indexedField]: value },
    ]);
  });
});

describe('an object that is read once', () => {
  const read = (steps: (entry: StoredEntry<Widget>) => void) => {
    const decoded = new DecodedObjects(100_000);
    const entry = entryOf(red, { decoded, formMemory: new FormMemory(new KeptForms(new ManualClock())) });
    steps(entry);
    const once = entry.readOnce();
    const isKept = decoded.bytes > 0;
    const sharesWritten = once.spec === red.spec;
    return { isKept, isSame: once === entry.object, sharesWritten, equal: expect(once).toEqual(entry.object) };
  };

  it('is not kept, where its other forms are', () => {
    expect(read((entry) => entry.enterCache())).toMatchObject({ isKept: false, isSame: false });
  });

  it('is the one at hand, if it was read', () => {
    const steps = (entry: StoredEntry<Widget>) => {
      entry.enterCache();
      void entry.object;
    };
    expect(read(steps)).toMatchObject({ isKept: true, isSame: true });
  });

  it('has the parts of the written object, and is not kept', () => {
    const steps = (entry: StoredEntry<Widget>) => {
      entry.enterCache();
      entry.offerWritten(red);
    };
    expect(read(steps)).toMatchObject({ isKept: false, isSame: false, sharesWritten: true });
  });

  it('is kept where its other forms are not', () => {
    expect(read(() => {})).toMatchObject({ isKept: true, isSame: true });
  });
});

describe('an object that is read in parts', () => {
  const formMemory = new FormMemory(new KeptForms(new ManualClock()));
  const cached = (object: Widget, changes: Partial<EntryKind<Widget>> = { ownKind: widgetKind }) => {
    const entry = entryOf(object, { formMemory, ...changes });
    entry.enterCache();
    return entry;
  };
  const managedFields = [{ manager: 'm', fieldsV1: { 'f:spec': {} } }];
  const managed = { ...red, metadata: { ...red.metadata, managedFields } };
  const isDecoded = (entry: StoredEntry<Widget>) => Object.hasOwn(entry.readParts().metadata, 'managedFields');

  it('has the members of the decoded one but managed fields', () => {
    const full = widget(
      {
        name: 'a',
        namespace: 'ns',
        uid: '"\\',
        generation: 7,
        creationTimestamp: '2026-01-31T01:02:03Z',
        labels: { ü: '"\\' },
        managedFields,
      },
      { spec: { color: 'r\u00e9d', size: 9_007_199_254_740_993n as never } },
    );
    const { object } = cached(full);
    const { managedFields: _, ...metadata } = object.metadata;
    expect(cached(full).readParts()).toEqual({ ...object, metadata });
  });

  it.each<[string, StoredEntry<Widget>]>([
    ['the kind may be encoded otherwise', cached(managed, {})],
    ['it is large', cached({ ...managed, spec: { color: 'x'.repeat(256 * 1024) } })],
    ['no forms are kept', entryOf(managed, { ownKind: widgetKind })],
  ])('is decoded if %s', (_, entry) => {
    expect([isDecoded(entry), entry.readParts().spec]).toEqual([true, entry.object.spec]);
  });

  it('is the one at hand', () => {
    const entry = cached(red);
    expect(entry.object).toBe(entry.readParts());
  });

  it.each([
    ['an unknown member', '{"name":"a","x":1', ',"spec":{"size":1}}'],
    ['members in another order', '{"uid":"u","name":"a"', ',"spec":{"size":1}}'],
    ['an unknown member after its metadata', '{"name":"a"', ',"other":2,"spec":{"size":1}}'],
    ['an unknown member after all others', '{"name":"a"', ',"spec":{"size":1},"other":2}'],
  ])('is decoded if its text has %s', (_, metadata, others) => {
    const entry = ofText(metadata, others, widgetKind);
    expect([isDecoded(entry), entry.readParts().metadata.name, entry.readParts().spec]).toEqual([
      true,
      'a',
      { size: 1 },
    ]);
  });

  it('is decoded if its text lacks a struct', () => {
    const fields = widgetKind.schema.fields.map((field) => ({ ...field, pointer: false }));
    const withSpec = { ...widgetKind, schema: { ...widgetKind.schema, fields } };
    const ofKinds = [widgetKind, withSpec].map((kind) => ofText('{"name":"a"', '}', kind));
    expect(ofKinds.map(isDecoded)).toEqual([false, true]);
  });

  function ofText(metadata: string, others: string, ownKind: KindSchema<Widget>): StoredEntry<Widget> {
    const head = '{"kind":"Widget","apiVersion":"example.com/v1","metadata":';
    const json = `${head}${metadata},"managedFields":${JSON.stringify(managedFields)}}${others}`;
    const wire = { bytes: Buffer.from(json), stale: false };
    const entry = new StoredEntry(kindOf({ formMemory, ownKind }), 'ns/a', 7, wire);
    entry.enterCache();
    return entry;
  }
});

it('names its key when it cannot be decoded', async () => {
  const large = { ...red, spec: { color: 'x'.repeat(256 * 1024) } };
  for (const [object, read] of [
    [red, (entry: StoredEntry<Widget>) => entry.object],
    [large, (entry: StoredEntry<Widget>) => entry.load()],
  ] as const) {
    const entry = entryOf(object);
    const torn = Buffer.alloc(entry.byteLength, '{');
    entry.moveTo(torn, 0);
    await expect((async () => await read(entry))()).rejects.toMatchObject({
      storageErrorCode: 'Corrupt',
      key: '/registry/example.com/widgets/ns/a',
    });
  }
});

it('keeps no decoded bookmarks', async () => {
  await using store = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
  const decoded = new DecodedObjects(1000);
  const { kind } = newWidgetContext({ store, decoded });
  const marks = [newBookmark(kind, 7), initialEventsEnd(kind, 8)];
  expect(marks.map(isInitialEventsEnd)).toEqual([false, true]);
  expect(marks.map(({ object }) => object.object.metadata.resourceVersion)).toEqual(['7', '8']);
  expect(decoded.bytes).toBe(0);
});

describe('a large object', () => {
  const large = (rest: Partial<Widget>): Widget =>
    widget(
      {
        name: 'a',
        namespace: 'ns',
        annotations: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, ''])),
      },
      rest,
    );

  it('has its selectable fields without being decoded, wherever they are', () => {
    const spec = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, '']));
    const selectableFields = (object: Widget) => ({
      'spec.color': object.spec?.color ?? '',
      'spec.k2.size': String(object.spec?.size ?? ''),
    });
    const kind = newWidgetContext({
      store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }),
    }).kind;
    const text = JSON.stringify({ ...large({}), spec: { ...spec, color: 'red', size: 3 } });
    const entry = new StoredEntry<Widget>({ ...kind, selectableFields }, 'ns/a', 7, {
      bytes: Buffer.from(text),
      stale: false,
    });
    const decode = vi.spyOn(kind.form, 'decode');
    expect(entry.fields).toMatchObject({ 'spec.color': 'red', 'spec.k2.size': '3', 'metadata.name': 'a' });
    // A part for each field that is not in the metadata.
    const lengths = decode.mock.calls.map(([bytes]) => bytes.length);
    expect([lengths.length, lengths.filter((length) => length > entry.byteLength / 10)]).toEqual([2, []]);
    // Fields are kept.
    const { fields } = entry;
    expect(entry.fields).toBe(fields);
  });

  it.each<readonly [string, object, readonly [string, string]]>([
    ['its own fields', { spec: { other: { color: 'blue' }, color: 'r\u00e9d"', size: 3 } }, ['r\u00e9d"', '3']],
    ['none of them', { spec: { other: 1 } }, ['', '']],
    ['a list on the way', { spec: [{ color: 'red' }] }, ['', '']],
  ])('reads the selectable fields of %s without decoding it', (_, members, expected) => {
    const selectableFields = ({ spec }: Widget) => ({
      color: String(spec?.color ?? ''),
      size: String(spec?.size ?? ''),
    });
    const { kind } = newWidgetContext({
      store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }),
    });
    const selectable = {
      ...kind,
      selectableFields,
      selectablePaths: [
        ['spec', 'color'],
        ['spec', 'size'],
      ],
    };
    const text = JSON.stringify({ ...large({}), ...members });
    const wire = { bytes: Buffer.from(text), stale: false };
    const decode = vi.spyOn(kind.form, 'decode');
    const { color, size } = new StoredEntry<Widget>(selectable, 'ns/a', 7, wire).fields;
    expect([[color, size], decode.mock.calls]).toEqual([expected, []]);
  });

  it('is loaded once for all who wait, and again when it was forgotten', async () => {
    const entry = entryOf(large({ spec: { color: 'red' } }));
    const [first, second] = [entry.load(), entry.load()];
    expect(first).toBe(second);
    const object = await first;
    expect([entry.load(), entry.object === object]).toEqual([undefined, true]);
    entry.forgetObject();
    const again = entry.load();
    expect(again).not.toBe(first);
    expect(await again).toEqual(object);
  });

  it('is tried again after a failure', async () => {
    const entry = entryOf(large({}));
    const { memory } = entry;
    entry.moveTo(Buffer.alloc(entry.byteLength, '{'), 0);
    await expect(entry.load()).rejects.toMatchObject({ storageErrorCode: 'Corrupt' });
    entry.moveTo(memory, 0);
    expect((await entry.load())?.metadata.name).toBe('a');
  });

  it('is neither kept nor offered as it was written', () => {
    const object = large({});
    const entry = entryOf(object);
    entry.keepWritten(object);
    entry.offerWritten(object);
    expect([entry.isLarge, entry.object.metadata.annotations === object.metadata.annotations]).toEqual([true, false]);
  });
});

describe('a written object', () => {
  const written = widget({ name: 'a', namespace: 'ns', labels: { size: 'L' } }, { spec: { color: 'red' } });

  it.each<[string, (entry: StoredEntry<Widget>) => void, boolean]>([
    ['is kept', (entry) => entry.keepWritten(written), true],
    ['is offered', (entry) => entry.offerWritten(written), true],
    [
      'is withdrawn',
      (entry) => {
        entry.offerWritten(written);
        entry.withdrawWritten();
      },
      false,
    ],
    [
      'is forgotten',
      (entry) => {
        entry.keepWritten(written);
        entry.forgetObject();
      },
      false,
    ],
    [
      'comes after the object was read',
      (entry) => {
        void entry.object;
        entry.keepWritten(written);
        entry.offerWritten(written);
      },
      false,
    ],
  ])('spares the reading of its bytes if it %s: %o', (_, prepare, isShared) => {
    const entry = entryOf(written);
    prepare(entry);
    expect(entry.object.spec === written.spec).toBe(isShared);
    expect([entry.object.spec, Object.isFrozen(entry.object.spec)]).toEqual([{ color: 'red' }, true]);
  });

  it('is found again after it was released, if somebody else has it and it is worth that', () => {
    const found = (text: string) => {
      const entry = entryOf({ ...written, spec: { color: text } });
      const { object } = entry;
      entry.releaseObject();
      return entry.object === object;
    };
    expect([found('x'.repeat(5000)), found('red')]).toEqual([true, false]);
  });

  it('has the version of its entry at another revision, and shares the rest', () => {
    const entry = entryOf(written);
    const { object } = entry;
    const later = entry.atRevision(9);
    expect([later.revision, later.resourceVersion, later.object.metadata.resourceVersion]).toEqual([9, '9', '9']);
    expect([later.object.spec === object.spec, Object.isFrozen(later.object.metadata)]).toEqual([true, true]);
    expect(JSON.parse(text(later.bytes) ?? '')).toEqual(later.object);
    expect(entryOf(written).atRevision(9).object.metadata.resourceVersion).toBe('9');
  });

  it('has memory of its own at another revision, and retains no piece of a pool', () => {
    const later = entryOf(written).atRevision(9);
    expect(later.memory.buffer.byteLength).toBe(later.byteLength);
  });

  it('leaves a pool when its bytes are decoded, and not the memory of a slab', () => {
    const { bytes } = entryOf(written);
    const pool = Buffer.concat([bytes, Buffer.alloc(1000)]);
    const pooled = () =>
      new StoredEntry<Widget>(kindOf(), 'ns/a', 7, { bytes: pool.subarray(0, bytes.length), stale: false });
    const decoded = pooled();
    expect(decoded.object).toEqual(entryOf(written).object);
    expect(decoded.memory.buffer.byteLength).toBe(bytes.length);
    const slabbed = pooled();
    slabbed.moveTo(pool, 0);
    expect(slabbed.object).toEqual(decoded.object);
    expect(slabbed.memory).toBe(pool);
  });
});
