import { atOnce } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { type Widget, widget } from '../../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../../testing/widget-kind.js';
import { createJsonForm } from './object-form.js';

describe('mayBecome', () => {
  const form = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
  const named = widget({ name: 'a', namespace: 'ns' }, { spec: { color: 'red' } });
  const mayBecome = (object: Widget, wire: Uint8Array, revision: number) =>
    form.mayBecome?.(form.encode(object), wire, revision);

  it.each([
    ['with a name', named],
    ['with labels alone', widget({ labels: { a: 'b' } }, {})],
    ['without metadata', widget({}, {})],
  ])('never denies an object %s what it becomes', (_, object) => {
    const revisions = [1, 9, 10, 2 ** 40];
    const reported = revisions.map((revision) =>
      mayBecome(object, form.wire(form.encode(object), revision).bytes, revision),
    );
    expect(reported).toEqual(revisions.map(() => true));
  });

  it('rejects bytes of another length, and is absent for kinds that are rewritten at rest', () => {
    const longer = widget({ name: 'a', namespace: 'ns' }, { spec: { color: 'orange' } });
    const rewritten = createJsonForm(storedWidgetDefinition({ mayBeOutdatedAtRest: true }), memoizedCodecs());
    const wire = form.wire(form.encode(named), 7).bytes;
    expect([mayBecome(longer, wire, 7), rewritten.mayBecome?.(form.encode(longer), wire, 7)]).toEqual([false, true]);
  });
});

it.each(['{"apiVersion":"example.com/v1"}', '{"apiVersion":"example.com/v1","metadata":7}'])(
  'rejects bytes without metadata: %s',
  (text) => {
    const form = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
    expect(() => form.wire(Buffer.from(text), 7)).toThrow('the stored bytes are no JSON object with metadata');
  },
);

describe('wireSteps', () => {
  const rewritten = createJsonForm(storedWidgetDefinition({ mayBeOutdatedAtRest: true }), memoizedCodecs());
  const bytes = Buffer.from(rewritten.encode(widget({ name: 'a', namespace: 'ns' }, { spec: { color: 'red' } })));

  it('is the same as wire for bytes that are converted', () => {
    const odd = Buffer.from(`${bytes.toString().replace('"spec"', '"odd":1,"spec"')}\n`);
    for (const atRest of [bytes, odd]) {
      const steps = rewritten.wireSteps?.(atRest, 7);
      expect(steps && atOnce(steps)).toEqual(rewritten.wire(atRest, 7));
    }
  });

  it('is undefined where only the revision changes', () => {
    const form = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
    expect([form.wireSteps?.(bytes, 7), rewritten.wireSteps?.(rewritten.encode(widget({ name: 'b' }, {})), 7)]).toEqual(
      [undefined, undefined],
    );
  });
});
