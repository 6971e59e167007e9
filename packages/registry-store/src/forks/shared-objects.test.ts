import { expect, it, vi } from 'vitest';
import { createJsonForm } from '../objects/forms/object-form.js';
import { type Widget, widget } from '../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { SharedObjects } from './shared-objects.js';

const form = createJsonForm<Widget>(storedWidgetDefinition(), memoizedCodecs());

/** Wire bytes inside of larger memory, as in a cache. */
function wire(name: string, revision = 5, text = ''): Buffer {
  const object = { ...widget({ name, namespace: 'ns', annotations: { text } }) };
  const memory = Buffer.concat([Buffer.from('   '), form.wire(form.encode(object), revision).bytes]);
  return memory.subarray(3);
}

it('shares the frozen object of equal bytes, also when the memory of the first ones has other content', () => {
  const shared = new SharedObjects(() => undefined);
  const bytes = wire('a');
  const first = shared.decode('widgets/ns/a', bytes, form);
  bytes.fill(0);
  expect([shared.decode('widgets/ns/a', wire('a'), form) === first, Object.isFrozen(first.metadata)]).toEqual([
    true,
    true,
  ]);
});

it.each([
  ['another revision', 'widgets/ns/a', wire('a', 6)],
  ['other content', 'widgets/ns/a', wire('a', 5, 'x')],
])('decodes %s', (_, key, bytes) => {
  const shared = new SharedObjects(() => undefined);
  const first = shared.decode('widgets/ns/a', wire('a'), form);
  const second = shared.decode(key, bytes, form);
  expect([second === first, second]).toEqual([false, form.decode(bytes)]);
  // The newest one is kept.
  expect(shared.decode(key, bytes, form)).toBe(second);
});

it('takes objects that others know', () => {
  const known = { ...widget({ name: 'a' }) };
  const decode = vi.fn(() => known as never);
  const shared = new SharedObjects(() => ({ decode }));
  const bytes = wire('a');
  expect([shared.decode('k', bytes, form), shared.decode('k', bytes, form)]).toEqual([known, known]);
  expect(decode).toHaveBeenCalledOnce();
});

it('keeps up to 4 MiB of bytes', () => {
  const shared = new SharedObjects(() => undefined);
  const text = 'x'.repeat(2 ** 20);
  const objects = ['a', 'b', 'c', 'd'].map((name) => shared.decode(name, wire(name, 5, text), form));
  const again = ['a', 'b', 'c', 'd'].map((name) => shared.decode(name, wire(name, 5, text), form));
  expect(again.map((object, at) => object === objects[at])).toEqual([true, true, true, false]);
  // A replacement takes the place of the earlier one.
  const changed = shared.decode('a', wire('a', 6, text), form);
  expect(shared.decode('a', wire('a', 6, text), form)).toBe(changed);
});
