import { expect, it } from 'vitest';
import { WatcherIndex, type WatchScope } from './watcher-index.js';

const scopes: readonly WatchScope[] = [
  { namespace: '', name: '' },
  { namespace: '', name: 'a' },
  { namespace: 'one', name: '' },
  { namespace: 'one', name: 'a' },
  { namespace: 'two', name: 'b' },
  { namespace: '', name: '', indexed: 'node' },
  { namespace: 'one', name: '', indexed: 'node' },
];

const labelOf = ({ namespace, name, indexed }: WatchScope) =>
  `${namespace}/${name}${indexed === undefined ? '' : `=${indexed}`}`;

function filled() {
  const index = new WatcherIndex<{ readonly scope: WatchScope }>();
  const watchers = scopes.map((scope) => ({ scope }));
  for (const watcher of watchers) index.add(watcher);
  const watchersOf = (namespace: string, name: string) => {
    const reported: string[] = [];
    index.forEach(namespace, name, ({ scope }) => reported.push(labelOf(scope)));
    return reported;
  };
  return { index, watchers, watchersOf };
}

it.each([
  ['one', 'a', ['/', '/a', 'one/', 'one/a']],
  ['one', 'b', ['/', 'one/']],
  ['two', 'a', ['/', '/a']],
  ['two', 'b', ['/', 'two/b']],
  ['three', 'c', ['/']],
  ['', 'a', ['/', '/a']],
])('finds the watchers that may want an event of %s/%s', (namespace, name, expected) => {
  const { watchersOf } = filled();
  // The result is kept for the next event.
  expect([watchersOf(namespace, name), watchersOf(namespace, name)]).toEqual([expected, expected]);
});

it('distinguishes watchers by a value of the indexed field', () => {
  const { index } = filled();
  const reported: string[] = [];
  for (const namespace of ['one', 'two'])
    index.forEachByValue('node', { namespace, name: 'a' }, ({ scope }) => reported.push(labelOf(scope)));
  expect(reported).toEqual(['/=node', 'one/=node', '/=node']);
});

it('tells watchers of one name apart by the indexed field too', () => {
  const { index } = filled();
  const named = { scope: { namespace: '', name: 'a', indexed: 'node' } };
  index.add(named);
  const reported: string[] = [];
  for (const name of ['a', 'b'])
    index.forEachByValue('node', { namespace: 'two', name }, ({ scope }) => reported.push(labelOf(scope)));
  expect(reported).toEqual(['/=node', '/a=node', '/=node']);
  index.forEachByValue('other', { namespace: 'two', name: 'a' }, () => reported.push('none'));
  expect(reported).not.toContain('none');
});

it('counts its watchers, and has all of them', () => {
  const { index, watchers } = filled();
  expect([index.size, index.usesIndex]).toEqual([7, true]);
  expect(index.all().map(({ scope }) => labelOf(scope))).toEqual([
    ...['/', '/a', 'one/', 'one/a', 'two/b', '/=node', 'one/=node'],
  ]);
  const unknown = scopes.map((scope) => ({ scope }));
  for (const watcher of [...unknown, { scope: { namespace: 'none', name: '' } }]) index.remove(watcher);
  expect(index.size).toBe(7);
  const removed = watchers.map((watcher) => {
    index.remove(watcher);
    return [index.size, index.usesIndex];
  });
  expect(removed).toEqual([6, 5, 4, 3, 2, 1, 0].map((size) => [size, size > 0]));
});

it('handles watchers that come and go between events of one namespace', () => {
  const { index, watchers, watchersOf } = filled();
  const late = { scope: { namespace: 'three', name: '' } };
  const reported = [watchersOf('three', 'c')];
  index.add(late);
  reported.push(watchersOf('three', 'c'));
  index.remove(late);
  index.remove(late);
  reported.push(watchersOf('three', 'c'));
  expect(reported).toEqual([['/'], ['/', 'three/'], ['/']]);
  for (const watcher of watchers) index.remove(watcher);
  expect([index.size, index.usesIndex, index.all(), watchersOf('one', 'a')]).toEqual([0, false, [], []]);
});
