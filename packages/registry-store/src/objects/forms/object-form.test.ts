import { atOnce } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { type Widget, widget } from '../../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition, widgetKind, widgetsOfTwoVersions } from '../../testing/widget-kind.js';
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

describe('the versions of a definition', () => {
  const codecs = memoizedCodecs();

  it.each([
    ['hub', { hubVersion: 'v7' }],
    ['storage', { storageVersion: 'v7' }],
  ])('contain the %s version', (_, changes) => {
    expect(() => createJsonForm(storedWidgetDefinition(changes), codecs)).toThrow('widgets has no version v7');
  });

  it('are at rest in any of them, and in no other', () => {
    const form = createJsonForm(widgetsOfTwoVersions(), codecs);
    const text = (version: string) =>
      Buffer.from(
        `{"kind":"Widget","apiVersion":"example.com/${version}","metadata":{"name":"a"},"spec":{"color":"red"}}`,
      );
    const read = (version: string) => {
      const { bytes, outdated } = form.wire(text(version), 7);
      return [form.decode(bytes), outdated];
    };
    const decoded = widget({ name: 'a', resourceVersion: '7' }, { spec: { color: 'red' } });
    expect([read('v1'), read('v2')]).toEqual([
      [decoded, true],
      [decoded, false],
    ]);
    expect(() => read('v3')).toThrow('the stored bytes are of no known version (example.com/v3)');
    expect(() => form.wire(Buffer.from('{"kind":"Widget"}'), 7)).toThrow('of no known version (none)');
    expect([form.wireIsAtRest, form.decodeWritten]).toEqual([false, undefined]);
    expect(form.mayBecome?.(text('v2'), text('v1'), 7)).toBe(true);
    expect(Buffer.from(form.encode(decoded)).toString()).toBe(text('v2').toString());
  });

  it('are written by steps as at once, and read again without a conversion', () => {
    const plain = widget({ name: 'a', resourceVersion: '9' }, { spec: { color: 'red' } });
    for (const definition of [
      storedWidgetDefinition(),
      storedWidgetDefinition({ mayBeOutdatedAtRest: true }),
      widgetsOfTwoVersions(),
    ]) {
      const form = createJsonForm(definition, codecs);
      const inSteps = form.encodeSteps && atOnce(form.encodeSteps(plain));
      expect(inSteps && Buffer.from(inSteps).toString()).toBe(Buffer.from(form.encode(plain)).toString());
      expect(inSteps && Buffer.from(inSteps).toString()).not.toContain('resourceVersion');
      const isConverted = definition.storageVersion === 'v2';
      const steps = inSteps && form.wireSteps?.(inSteps, 7);
      expect(steps === undefined).toBe(!isConverted);
      if (steps !== undefined) expect(atOnce(steps)).toEqual(inSteps && form.wire(inSteps, 7));
      const wire = form.wire(form.encode(plain), 7).bytes;
      expect(atOnce(form.decodeSteps(wire))).toEqual(form.decode(wire));
    }
  });
});

it('leaves out the line feed that ends an object of upstream', () => {
  const form = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
  const bytes = Buffer.from(form.encode(widget({ name: 'a' })));
  const ended = Buffer.concat([bytes, Buffer.from('\n')]);
  expect(Buffer.from(form.wire(ended, 7).bytes).toString()).toBe(Buffer.from(form.wire(bytes, 7).bytes).toString());
});

it('applies the defaults of a version when it reads, in steps too, unless it leaves objects as they are', () => {
  const applyDefaults = (object: Widget) => void Object.assign(object, { spec: { color: 'grey', ...object.spec } });
  const definition = storedWidgetDefinition({ versions: [{ version: 'v1', schema: widgetKind, applyDefaults }] });
  const read = (defaultsOnRead: boolean) => {
    const form = createJsonForm(definition, memoizedCodecs(), { defaultsOnRead });
    const { bytes } = form.wire(form.encode(widget({ name: 'a' }, { spec: { size: 1 } })), 7);
    return [form.decode(bytes).spec, atOnce(form.decodeSteps(bytes)).spec];
  };
  expect([read(true), read(false)]).toEqual([
    [
      { size: 1, color: 'grey' },
      { size: 1, color: 'grey' },
    ],
    [{ size: 1 }, { size: 1 }],
  ]);
});

it('passes on the failure of a default, and reads the bytes of an object that a default cannot change', () => {
  const failing = (error: Error) => {
    const applyDefaults = () => {
      throw error;
    };
    const definition = storedWidgetDefinition({ versions: [{ version: 'v1', schema: widgetKind, applyDefaults }] });
    return createJsonForm(definition, memoizedCodecs());
  };
  const bug = new RangeError('a bug');
  expect(failing(new TypeError('frozen')).decodeWritten?.(widget({ name: 'a' }), 7)).toBeUndefined();
  expect(() => failing(bug).decodeWritten?.(widget({ name: 'a' }), 7)).toThrow(bug);
});

it('gives defaults to objects, but none to bookmarks', () => {
  const applyDefaults = (object: Widget) => {
    object.spec = { color: 'default' };
  };
  const versions = [{ version: 'v1', schema: widgetKind, applyDefaults }];
  const form = createJsonForm(storedWidgetDefinition({ versions }), memoizedCodecs());
  const stored = form.wire(form.encode(widget({ name: 'a' }, {})), 7).bytes;
  const colors = [stored, form.bookmark(7)].flatMap((wire) => [form.decode(wire), atOnce(form.decodeSteps(wire))]);
  expect(colors.map(({ spec }) => spec?.color)).toEqual(['default', 'default', undefined, undefined]);
});

it('has bookmarks with a version, and the annotations that they are given', () => {
  const form = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
  const text = (annotations?: Record<string, string>) =>
    JSON.parse(Buffer.from(form.bookmark(7, annotations)).toString());
  const head = { kind: 'Widget', apiVersion: 'example.com/v1' };
  expect([text(), text({ a: 'b' })]).toEqual([
    { ...head, metadata: { resourceVersion: '7' } },
    { ...head, metadata: { resourceVersion: '7', annotations: { a: 'b' } } },
  ]);
});

it('only parses the wire bytes of custom resources, which conversion has pruned and defaulted', () => {
  const applyDefaults = (object: Widget) => void Object.assign(object, { spec: { color: 'grey', ...object.spec } });
  const schema = { ...widgetKind, semantics: 'structural' as const };
  const text = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"other":1,"spec":{}}';
  const read = (mayBeOutdatedAtRest: boolean) => {
    const versions = [{ version: 'v1', schema, applyDefaults }];
    const form = createJsonForm(storedWidgetDefinition({ versions, mayBeOutdatedAtRest }), memoizedCodecs());
    const { bytes } = form.wire(Buffer.from(text), 7);
    const sent = JSON.parse(Buffer.from(bytes).toString());
    expect([form.decode(bytes), atOnce(form.decodeSteps(bytes))]).toEqual([sent, sent]);
    return [sent.other, sent.spec];
  };
  expect([read(false), read(true)]).toEqual([
    [1, {}],
    [undefined, { color: 'grey' }],
  ]);
});
