import { freezeJson } from '@apiserver/apimachinery/json';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { KeptForms } from '../kept/kept-forms.js';
import { FormMemory } from '../kept/object-forms.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import { memoizedCodecs, storedWidgetDefinition, widgetKind } from '../testing/widget-kind.js';
import { DecodedObjects } from './decoded-objects.js';
import { createJsonForm } from './forms/object-form.js';
import type { StoredEntry } from './stored-entry.js';

const metadata = { name: 'a', namespace: 'ns', uid: 'uid-a' };
const defaulting = storedWidgetDefinition({
  versions: [
    {
      version: 'v1',
      schema: widgetKind,
      applyDefaults: (object) => {
        if (object.spec !== undefined) object.spec.color ??= 'grey';
      },
    },
  ],
});

describe('decodeWritten', () => {
  const form = createJsonForm(defaulting, memoizedCodecs());
  const decodedOf = (written: Widget) => form.decode(form.wire(form.encode(written), 7).bytes);

  it.each<[string, Widget]>([
    ['in order', widget({ ...metadata }, { spec: { size: 1, color: 'red' } })],
    ['of another order', widget({ uid: 'u', namespace: 'ns', name: 'a' }, { spec: { color: 'red', size: 1 } })],
    [
      'with what JSON leaves out',
      widget({ ...metadata, labels: {}, generateName: '' }, { spec: { size: 0, color: 'red' } }),
    ],
    ['of an older revision', widget({ ...metadata, resourceVersion: '3' }, { spec: { color: 'red' } })],
    ['without a spec', widget({ ...metadata, labels: { b: '2', a: '1' } })],
  ])('turns an object %s into the one that its bytes decode to', (_, object) => {
    freezeJson(object);
    const decoded = form.decodeWritten?.(object, 7);
    expect([JSON.stringify(decoded), decoded]).toEqual([JSON.stringify(decodedOf(object)), decodedOf(object)]);
  });

  it('shares canonical parts', () => {
    const object = freezeJson(widget({ ...metadata }, { spec: { size: 1, color: 'red' } })) as Widget;
    expect(form.decodeWritten?.(object, 7)?.spec).toBe(object.spec);
  });

  it('reads the bytes of objects that lack a default, have another shape, or are converted', () => {
    const lacking = freezeJson(widget({ ...metadata }, { spec: { size: 1 } })) as Widget;
    const misshapen = { ...lacking, spec: { color: 5 } } as unknown as Widget;
    const converted = createJsonForm(storedWidgetDefinition({ mayBeOutdatedAtRest: true }), memoizedCodecs());
    expect([form.decodeWritten?.(lacking, 7), form.decodeWritten?.(misshapen, 7), converted.decodeWritten]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('an update', () => {
  it('uses the last written object: its parts, its revision, its defaults; all of it immutable', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    const decoded = new DecodedObjects(2 ** 20);
    await using cache = newWidgetCache({ store, clock, decoded, definition: defaulting });
    await cache.ready();
    await cache.create('ns/a', widget({ ...metadata }, { spec: { size: 1 } }));
    const found: Widget[] = [];
    const update = (spec: NonNullable<Widget['spec']>) =>
      cache.guaranteedUpdate('ns/a', {}, async (current) => {
        if (current !== undefined) found.push(current.object);
        return { object: widget({ ...metadata }, { spec }) };
      });
    const whole = { size: 2, color: 'red' };
    const { stored } = await update(whole);
    const held = decoded.bytes;
    await update({ size: 3 });
    await update({ size: 4, color: 'blue' });
    const [, second, third] = found;
    expect(found.map(({ spec, metadata }) => [spec, metadata.resourceVersion])).toEqual([
      [{ size: 1, color: 'grey' }, '2'],
      [{ size: 2, color: 'red' }, '3'],
      [{ size: 3, color: 'grey' }, '4'],
    ]);
    expect([second?.spec === whole, Object.isFrozen(second?.metadata), Object.isFrozen(third?.spec)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(held).toBe((stored as StoredEntry<Widget>).bytes.length);
  });

  it('keeps neither old decoded objects nor those of replaced entries', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    const decoded = new DecodedObjects(2 ** 20);
    await using cache = newWidgetCache({ store, clock, decoded });
    await cache.ready();
    const create = (name: string) => cache.create(`ns/${name}`, widget({ ...metadata, name }));
    const update = async (size: number) => {
      const object = widget({ ...metadata }, { spec: { size } });
      const { stored } = await cache.guaranteedUpdate('ns/a', {}, async (current) => {
        expect(current?.object.metadata.uid).toBe('uid-a');
        return { object };
      });
      return { spec: object.spec, stored, held: decoded.bytes };
    };
    const created = await create('a');
    const soon = await update(1);
    for (let i = 0; i < 300; i++) await create(`other-${i}`);
    const late = await update(2);
    expect([soon.held, late.held]).toEqual([(soon.stored as StoredEntry<Widget>).bytes.length, 0]);
    expect(late.stored.object.spec).not.toBe(late.spec);
    // Holders of a replaced entry decode its bytes.
    const replaced = created as StoredEntry<Widget>;
    expect([replaced.object.spec, replaced.object.metadata.resourceVersion]).toEqual([undefined, '2']);
  });

  it('reads the bytes when the written object was dropped', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    await using cache = newWidgetCache({ store, clock });
    await cache.ready();
    await cache.create('ns/a', widget({ ...metadata }, { spec: { size: 1 } }));
    const spec = { size: 2 };
    const { stored } = await cache.guaranteedUpdate('ns/a', {}, async () => ({
      object: widget({ ...metadata }, { spec }),
    }));
    (stored as StoredEntry<Widget>).forgetObject();
    expect([stored.object.spec, stored.object.spec === spec]).toEqual([spec, false]);
  });
});

describe('an object for the response to its write', () => {
  it('is at hand in the turn of the response, and not kept', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    const decoded = new DecodedObjects(2 ** 20);
    await using cache = newWidgetCache({ store, clock, decoded, formMemory: new FormMemory(new KeptForms(clock)) });
    await cache.ready();
    const created = { size: 1 };
    const updated = { size: 2 };
    const object = (spec: object) => widget({ ...metadata }, { spec });
    const isAtHand = async (stored: StoredObject<Widget>, spec: object) => {
      const reads = [stored, stored].map((entry) => (entry as StoredEntry<Widget>).readOnce().spec === spec);
      await new Promise<void>((resolve) => setImmediate(resolve));
      return [...reads, (stored as StoredEntry<Widget>).readOnce().spec === spec];
    };
    const first = await isAtHand(await cache.create('ns/a', object(created), { readsResult: true }), created);
    // Far from the first write: an update soon after it would keep its object for the next one.
    for (let i = 0; i < 300; i++) await cache.create(`ns/${i}`, widget({ ...metadata, name: String(i) }));
    const update = async () => ({ object: object(updated), readsResult: true });
    const second = await isAtHand((await cache.guaranteedUpdate('ns/a', {}, update)).stored, updated);
    expect([first, second, decoded.bytes]).toEqual([[true, true, false], [true, true, false], 0]);
  });

  it('cannot be changed by the code that wrote it', async () => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    await using cache = newWidgetCache({ store, clock });
    await cache.ready();
    const written = widget({ ...metadata }, { spec: { size: 1 } });
    const stored = await cache.create('ns/a', written, { readsResult: true });
    expect(() => Object.assign(written.spec ?? {}, { size: 2 })).toThrow(TypeError);
    expect(stored.object.spec).toEqual({ size: 1 });
  });
});

describe('an object that makes room for others', () => {
  /** The object of an entry, and the one after others were decoded, for which there is room only without it. */
  async function releasedObjects(size: number) {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    await using cache = newWidgetCache({ store, clock, decoded: new DecodedObjects(1000) });
    await cache.ready();
    const color = 'r'.repeat(size);
    const stored = await cache.create('ns/a', widget({ ...metadata }, { spec: { color } }));
    const other = await cache.create('ns/b', widget({ ...metadata, name: 'b' }, { spec: { color } }));
    const { object } = stored;
    const use = () => other.object.metadata.name;
    return [use(), object, stored.object, use(), stored.object] as const;
  }

  it('is found again while somebody has it', async () => {
    const [, object, again, , third] = await releasedObjects(5000);
    expect([again === object, third === object]).toEqual([true, true]);
  });

  it('is decoded again if it is small', async () => {
    const [, object, again] = await releasedObjects(800);
    expect([again === object, again]).toEqual([false, object]);
  });
});

describe('a receiver of a change in this process', () => {
  /** The specs of the events of a create and an update, and the entries. */
  async function followed(color: string, reads: (object: StoredObject<Widget>) => Widget | undefined) {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    await using cache = newWidgetCache({ store, clock });
    await cache.ready();
    const entries: StoredObject<Widget>[] = [];
    const seen: (Widget | undefined)[] = [];
    const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };
    const source = await cache.watch('', { ...everything, resourceVersion: '1', allowBookmarks: false });
    source.start({
      event: ({ object }) => {
        entries.push(object);
        seen.push(reads(object));
      },
      end: () => {},
    });
    await new Promise((resolve) => setImmediate(resolve));
    const created = widget({ ...metadata }, { spec: { size: 1, color } });
    await cache.create('ns/a', created);
    const updated = widget({ ...metadata }, { spec: { size: 2, color } });
    await cache.guaranteedUpdate('ns/a', {}, async () => ({ object: updated }));
    source.close();
    return { seen, entries, written: [created, updated] };
  }

  it('gets a large object without decoding, with its revision, and immutable', async () => {
    const { seen, written } = await followed('x'.repeat(4096), ({ object }) => object);
    expect(seen.map((object) => object?.spec === written[seen.indexOf(object)]?.spec)).toEqual([true, true]);
    expect(seen.map((object) => object?.metadata.resourceVersion)).toEqual(['2', '3']);
    expect(seen.map((object) => Object.isFrozen(object) && Object.isFrozen(object?.metadata))).toEqual([true, true]);
  });

  it.each([
    ['a small object', 'red', ({ object }: StoredObject<Widget>) => object],
    ['an object that it reads after the delivery', 'x'.repeat(4096), () => undefined],
  ])('decodes %s', async (_, color, reads) => {
    const { entries, written } = await followed(color, reads);
    const [first] = entries;
    expect([first?.object.spec, first?.object.spec === written[0]?.spec]).toEqual([written[0]?.spec, false]);
  });
});
