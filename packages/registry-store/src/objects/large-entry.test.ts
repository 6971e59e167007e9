import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it, vi } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { StoredEntry } from './stored-entry.js';

const annotations = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, '']));

function largeEntry() {
  const { kind } = newWidgetContext({ store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }) });
  const object = widget({ name: 'a', namespace: 'ns', annotations }, { spec: { color: 'red' } });
  const { bytes } = kind.form.wire(kind.form.encode(object), 5);
  const entry = new StoredEntry<Widget>(kind, 'ns/a', 5, { bytes, stale: false });
  return { entry, decode: vi.spyOn(kind.form, 'decode'), bytes };
}

it('reads the fields of a large object from an outline of it', () => {
  const { entry, decode, bytes } = largeEntry();
  expect(entry.fields).toEqual({ 'metadata.name': 'a', 'metadata.namespace': 'ns', 'spec.color': 'red' });
  expect(decode.mock.calls.every(([decoded]) => decoded.length < bytes.length / 4)).toBe(true);
});

it('decodes a large object once for all concurrent callers', async () => {
  const { entry, decode } = largeEntry();
  const [first, second] = [entry.load(), entry.load()];
  expect([first === second, (await first) === entry.object, entry.load(), decode.mock.calls]).toEqual([
    true,
    true,
    undefined,
    [],
  ]);
  expect([Object.isFrozen(entry.object.metadata.annotations), entry.atRevision(9).object.metadata]).toEqual([
    true,
    { ...entry.object.metadata, resourceVersion: '9' },
  ]);
});
