import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { createCacher } from '../cacher/cacher.js';
import type { KeyValue, KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createJsonForm } from '../objects/forms/object-form.js';
import { LARGE } from '../objects/stored-entry.js';
import { listOptions, make, setColor, wireForm } from '../testing/suites/storage-suite-fixture.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { memoizedCodecs, widgetsOfTwoVersions } from '../testing/widget-kind.js';
import { SharedObjects } from './shared-objects.js';
import { SharedWires } from './shared-wires.js';

const clock = new ManualClock();
const emptyStore = (): KeyValueStore => createMemoryStore({ clock, compactionInterval: 0 });
const { kind } = newWidgetContext({ store: emptyStore() });

function stored(text = '', modRevision = 5): KeyValue {
  const value = kind.form.encode({ ...widget({ name: 'a', namespace: 'ns', annotations: { text } }) });
  return { key: `${WIDGETS}ns/a`, value, modRevision };
}

it('shares the wire bytes of one value', () => {
  const wires = new SharedWires();
  const kv = stored();
  const wire = wires.of(kv, kind);
  expect(wire?.key).toBe('ns/a');
  expect(Buffer.from(wire?.bytes ?? [])).toEqual(Buffer.from(kind.form.wire(kv.value, 5).bytes));
  expect(wires.of({ ...kv }, kind)?.bytes).toBe(wire?.bytes);
});

it('knows a value by its memory', () => {
  const wires = new SharedWires();
  expect(wires.of(stored(), kind)?.bytes).not.toBe(wires.of(stored(), kind)?.bytes);
});

const twoVersions = createJsonForm(widgetsOfTwoVersions(), memoizedCodecs());

it.each([
  ['revision', { modRevision: 6 }, kind],
  ['key', { key: `${WIDGETS}ns/b` }, kind],
  ['value, which is damaged', { damage: new Error('damaged') as never }, kind],
  ['form, which converts', {}, { ...kind, form: twoVersions }],
  ['form', {}, { ...kind, form: Object.create(kind.form, { wireForm: { value: { version: 'v2' } } }) }],
])('does not share the bytes of another %s', (_, change, other) => {
  const wires = new SharedWires();
  const kv = stored();
  wires.of(kv, kind);
  expect(wires.of({ ...kv, ...change }, other)).toBe(undefined);
});

it.each([
  ['a damaged value', { ...stored(), damage: new Error('damaged') as never }, kind],
  ['a value that is no object', { ...stored(), value: Buffer.from('k8s:enc:') }, kind],
  ['a large value', stored('x'.repeat(LARGE)), kind],
  ['a value that is converted', stored(), { ...kind, form: twoVersions }],
])('leaves %s to its readers', (_, kv, of) => {
  expect(new SharedWires().of(kv, of)).toBe(undefined);
});

it('keeps few more than 4 MiB', () => {
  const wires = new SharedWires();
  const text = 'x'.repeat(200_000);
  const kept = Array.from({ length: 30 }, () => wires.of(stored(text), kind) !== undefined);
  expect(kept.filter(Boolean).length).toBe(21);
});

it('is no part of what caches of forks write', async () => {
  const origin = createMemoryStore({ clock, compactionInterval: 0 });
  const known = new SharedObjects(() => undefined);
  const open = (store: KeyValueStore) => {
    const context = newWidgetContext({ store });
    return createCacher<Widget>({ ...context, kind: { ...context.kind, known: () => known } }, { clock });
  };
  const before = open(origin);
  for (const key of ['ns/a', 'ns/b']) await before.create(key, make(key, { spec: { color: 'red' } }));
  const from = origin.snapshot();
  const fork = () => open(createMemoryStore({ clock, compactionInterval: 0, from }));
  const [changed, emptied, other] = [fork(), fork(), fork()];
  const wires = async (cache: typeof changed) =>
    (await cache.list('', listOptions())).items.map((item) => item.wire?.(wireForm) ?? Buffer.from(''));
  const texts = async (cache: typeof changed) => (await wires(cache)).map((bytes) => Buffer.from(bytes).toString());
  const atFirst = await texts(before);
  expect(await texts(changed)).toEqual(atFirst);
  expect((await wires(emptied))[0]).toBe((await wires(changed))[0]);
  // So many that the memory of replaced objects moves.
  for (let color = 0; color < 200; color++) await setColor(changed, 'ns/a', `c${color}`);
  await emptied.delete('ns/b', {}, async () => {});
  expect(await texts(changed)).toEqual([expect.stringContaining('"c199"'), atFirst[1]]);
  expect(await texts(emptied)).toEqual([atFirst[0]]);
  expect([await texts(other), await texts(before)]).toEqual([atFirst, atFirst]);
  for (const cache of [before, changed, emptied, other]) await cache[Symbol.asyncDispose]();
});
