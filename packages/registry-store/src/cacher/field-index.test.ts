import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { StoredEntry } from '../objects/stored-entry.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { FieldIndex } from './field-index.js';

const store = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
const { kind } = newWidgetContext({ store, indexedField: 'spec.color' });

function entry(key: string, color: string): StoredEntry<Widget> {
  const [namespace = '', name = ''] = key.split('/');
  const object = widget({ name, namespace }, { spec: { color } });
  return new StoredEntry<Widget>(kind, key, 2, { bytes: Buffer.from(JSON.stringify(object)), stale: false });
}

const keysOf = (index: FieldIndex<Widget>, value: string, start = '', end = '\u{10ffff}') =>
  index.entries(value, start, end).map(({ key }) => key);

it('has the entries of a value in key order, from the start to before the end', async () => {
  const index = new FieldIndex<Widget>();
  await index.build([entry('b/1', 'red'), entry('a/2', 'red'), entry('a/1', 'blue'), entry('c/1', 'red')]);
  expect([
    keysOf(index, 'red'),
    keysOf(index, 'blue'),
    keysOf(index, 'green'),
    keysOf(index, 'red', 'a/2', 'c/1'),
    keysOf(index, 'red', 'a/20', 'c/10'),
  ]).toEqual([['a/2', 'b/1', 'c/1'], ['a/1'], [], ['a/2', 'b/1'], ['b/1', 'c/1']]);
});

it('applies changes in their order, also those that came while it was built', async () => {
  const index = new FieldIndex<Widget>();
  const [red, blue] = [entry('a/1', 'red'), entry('a/1', 'blue')];
  const building = index.build([red, entry('a/2', 'red')]);
  const early = new FieldIndex<Widget>();
  early.change(red, blue);
  await early.build([red]);
  await building;
  index.change(red, blue);
  index.change(undefined, entry('a/3', 'red'));
  expect([keysOf(index, 'red'), keysOf(index, 'blue'), keysOf(early, 'red'), keysOf(early, 'blue')]).toEqual([
    ['a/2', 'a/3'],
    ['a/1'],
    [],
    ['a/1'],
  ]);
  index.change(blue, undefined);
  index.change(entry('z/9', 'none'), undefined);
  expect([keysOf(index, 'blue'), keysOf(index, 'none')]).toEqual([[], []]);
});
