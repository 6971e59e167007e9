import { expect, it, vi } from 'vitest';
import { type Widget, widget } from '../testing/widget.js';
import { ObjectView } from './object-view.js';

const at = (namespace: string, name: string, resourceVersion: string) => widget({ namespace, name, resourceVersion });
const [a, b, newA] = [at('one', 'a', '1'), at('two', 'b', '2'), at('one', 'a', '3')];

function filled(onHandlerError: (error: unknown) => void = () => {}) {
  const view = new ObjectView<Widget>(onHandlerError);
  const heard: unknown[] = [];
  const stop = view.subscribe({
    added: (object) => heard.push(['added', object]),
    updated: (object, old) => heard.push(['updated', object, old]),
    deleted: (object) => heard.push(['deleted', object]),
  });
  for (const object of [a, b]) view.put(object);
  heard.length = 0;
  return { view, heard, stop };
}

it('lists one namespace or all', () => {
  const { view } = filled();
  expect([view.list(), view.list('one'), view.list('none'), view.list('')]).toEqual([[a, b], [a], [], []]);
});

it('has cluster-scoped objects below no namespace', () => {
  const { view } = filled();
  const object = widget({ name: 'c', resourceVersion: '4' });
  view.put(object);
  expect([view.get('', 'c'), view.list('')]).toEqual([object, [object]]);
  view.remove(object);
  expect(view.get('', 'c')).toBeUndefined();
});

it('reports an object of another version, and none of the same', () => {
  const { view, heard } = filled();
  view.put(at('one', 'a', '1'));
  expect([heard, view.get('one', 'a') === a]).toEqual([[], true]);
  view.put(newA);
  expect(heard).toEqual([['updated', newA, a]]);
});

it('reports the deletion of what it has', () => {
  const { view, heard } = filled();
  for (const object of [at('none', 'a', '1'), at('one', 'none', '1')]) view.remove(object);
  expect(heard).toEqual([]);
  view.remove(newA);
  view.remove(newA);
  expect([heard, view.list()]).toEqual([[['deleted', newA]], [b]]);
});

it('reports the objects that a fresh list lacks, and its new ones', () => {
  const { view, heard } = filled();
  const c = at('two', 'a', '5');
  view.replace([newA, c]);
  expect(heard).toEqual([
    ['deleted', b],
    ['updated', newA, a],
    ['added', c],
  ]);
});

it('tells nothing to a subscriber that has left, and all to a late one', () => {
  const { view, heard, stop } = filled();
  stop();
  view.put(newA);
  const added = vi.fn();
  view.subscribe({ added });
  view.remove(b);
  view.put(at('one', 'a', '9'));
  expect([heard, added.mock.calls]).toEqual([[], [[newA], [b]]]);
});

it('reports the error of a handler, and goes on with the others', () => {
  const onHandlerError = vi.fn();
  const { view, heard } = filled(onHandlerError);
  const failure = new Error('a bug of the handler');
  view.subscribe({
    updated: () => {
      throw failure;
    },
  });
  const updated = vi.fn();
  view.subscribe({ updated });
  view.put(newA);
  expect([onHandlerError.mock.calls, updated.mock.calls.length, heard.length]).toEqual([[[failure]], 1, 1]);
});

it('needs no handler of a subscriber', () => {
  const errors: unknown[] = [];
  const { view } = filled((error) => errors.push(error));
  view.subscribe({});
  view.put(at('one', 'new', '7'));
  view.put(newA);
  view.remove(newA);
  view.replace([b]);
  expect(errors).toEqual([]);
});
