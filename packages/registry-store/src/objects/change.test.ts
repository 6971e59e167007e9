import { everythingFieldSelector, everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { Change } from './change.js';
import { selectionOf } from './selection.js';
import { StoredEntry } from './stored-entry.js';

const { kind } = newWidgetContext({ store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }) });

function entry(color: string, revision: number) {
  const object = widget({ name: 'a', namespace: 'ns' }, { spec: { color } });
  const { bytes } = kind.form.wire(kind.form.encode(object), revision);
  return new StoredEntry<Widget>(kind, 'ns/a', revision, { bytes, stale: false });
}

const [red, blue] = [entry('red', 3), entry('blue', 5)];
const all = selectionOf({ labelSelector: everythingSelector, fieldSelector: everythingFieldSelector }, {});
const reds = selectionOf(
  { labelSelector: everythingSelector, fieldSelector: parseFieldSelector('spec.color=red') },
  {},
);

it.each([
  ['a creation', [undefined, red], all, 'ADDED 3 red'],
  ['a matching creation', [undefined, red], reds, 'ADDED 3 red'],
  ['another creation', [undefined, blue], reds, undefined],
  ['an update', [red, blue], all, 'MODIFIED 5 blue'],
  ['an update that begins to match', [blue, red], reds, 'ADDED 3 red'],
  ['an update that ceases to match', [red, blue], reds, 'DELETED 9 red'],
  ['an update between matching states', [red, entry('red', 9)], reds, 'MODIFIED 9 red'],
  ['an update between others', [blue, entry('green', 9)], reds, undefined],
  ['a deletion', [blue, undefined], all, 'DELETED 9 blue'],
  ['a matching deletion', [red, undefined], reds, 'DELETED 9 red'],
  ['another deletion', [blue, undefined], reds, undefined],
] as const)('has an event for %s', (_, [previous, current], selection, expected) => {
  const change = new Change('ns/a', 9, { current, previous });
  const event = change.eventFor(selection);
  expect(event && `${event.type} ${event.object.resourceVersion} ${event.object.object.spec?.color}`).toBe(expected);
  expect(change.eventFor(selection)).toBe(event);
  event?.frames.set('json', new Uint8Array(1));
  expect(event?.frames.size ?? 1).toBe(1);
  change.forgetEvents();
  expect([change.eventFor(selection) === event, change.eventFor(selection)?.frames.size]).toEqual(
    event === undefined ? [true, undefined] : [false, 0],
  );
});

it('counts the bytes of both states', () => {
  const bytes = [
    [red, blue],
    [undefined, blue],
    [red, undefined],
    [undefined, undefined],
  ].map(([previous, current]) => new Change('ns/a', 9, { current, previous }).bytes);
  const [before, after] = [red.byteLength, blue.byteLength];
  expect(bytes).toEqual([before + after, after, before, 0]);
});
