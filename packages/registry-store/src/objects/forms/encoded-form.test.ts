import { atOnce } from '@apiserver/apimachinery/clock';
import { type KindSchema, OMIT_EMPTY, POINTER, STRING, struct } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { make } from '../../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition, widgetsOfTwoVersions } from '../../testing/widget-kind.js';
import { createEncodedForm } from './encoded-form.js';

const WIRE =
  '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"ns","uid":"uid-a",' +
  '"resourceVersion":"7"},"spec":{"color":"red"}}';
const JSON_AT_REST = WIRE.replace(',"resourceVersion":"7"', '');
const YAML_AT_REST =
  'apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  namespace: ns\n  uid: uid-a\nspec:\n  color: red\n';

const form = (mediaType: Parameters<typeof createEncodedForm>[2]) =>
  createEncodedForm(storedWidgetDefinition(), memoizedCodecs(), mediaType);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('createEncodedForm', () => {
  it.each([
    ['application/json', JSON_AT_REST],
    ['application/yaml', YAML_AT_REST],
  ] as const)('writes %s, without a version', (mediaType, expected) => {
    const object = make('ns/a', { spec: { color: 'red' } });
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: '3' } };
    expect(text(form(mediaType).encode(versioned))).toBe(expected);
  });

  it.each([
    ['application/json', JSON_AT_REST, false],
    ['application/json', `${JSON_AT_REST}\n`, false],
    ['application/json', YAML_AT_REST, true],
    ['application/yaml', JSON_AT_REST, true],
    ['application/yaml', YAML_AT_REST, false],
    ['application/vnd.kubernetes.protobuf', `${JSON_AT_REST}\n`, true],
  ] as const)('with %s reads %j, outdated: %s', (mediaType, atRest, outdated) => {
    const wire = form(mediaType).wire(Buffer.from(atRest), 7);
    expect([text(wire.bytes), wire.outdated]).toEqual([WIRE, outdated]);
  });

  it.each([
    ['k8s\0\n\x08\n\x02v9\x12\x02No', 'the stored bytes are of version v9, which example.com/v1 does not know'],
    ['kind: Widget\n', 'the stored bytes are of version none, which example.com/v1 does not know'],
  ])('refuses %j', (atRest, message) => {
    expect(() => form('application/json').wire(Buffer.from(atRest), 7)).toThrow(message);
  });
});

describe('an object of two versions in YAML', () => {
  const form = createEncodedForm(widgetsOfTwoVersions(), memoizedCodecs(), 'application/yaml');
  const stored = YAML_AT_REST.replace('/v1', '/v2');
  const wireOf = (atRest: Uint8Array | string, revision: number) => {
    const { bytes, outdated } = form.wire(Buffer.from(atRest), revision);
    return [text(bytes), outdated];
  };

  it('is written in the storage version, and read in that of the hub', () => {
    expect([form.wireIsAtRest, text(form.encode(make('ns/a', { spec: { color: 'red' } })))]).toEqual([false, stored]);
    expect(wireOf(stored, 7)).toEqual([WIRE, false]);
    expect(wireOf(YAML_AT_REST, 7)).toEqual([WIRE, true]);
  });

  it('has the revision of each read, though it is decoded once', () => {
    const written = form.encode(make('ns/a', { spec: { color: 'red' } }));
    expect([wireOf(written, 7), wireOf(written, 8)]).toEqual([
      [WIRE, false],
      [WIRE.replace('"7"', '"8"'), false],
    ]);
  });

  it('has recent wire bytes in memory of their own', () => {
    const written = form.encode(make('ns/a', { spec: { color: 'red' } }));
    const { bytes } = form.wire(Buffer.from(written), 7);
    expect(bytes.buffer.byteLength).toBe(WIRE.length);
  });

  it.each(['apiVersion: "example.com/v2"', 'apiVersion:   example.com/v2'])('is found by its version: %s', (line) => {
    const lines = stored.split('\n').slice(1);
    expect(wireOf([...lines.slice(0, 1), line, ...lines.slice(1)].join('\n'), 7)).toEqual([WIRE, false]);
  });

  it('is one whose wire bytes can be rewritten, decoded, and made for a bookmark', () => {
    const wire = Buffer.from(WIRE);
    const bookmark = '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"}}';
    expect([text(form.rewire(wire, 8)), text(form.bookmark(9))]).toEqual([WIRE.replace('"7"', '"8"'), bookmark]);
    expect([form.decode(wire), atOnce(form.decodeSteps(wire))]).toEqual(Array(2).fill(JSON.parse(WIRE)));
    expect(form.wireForm).toEqual({
      contentType: 'application/json',
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
    });
  });
});

describe('an object in protobuf', () => {
  const metadata = struct('test.ObjectMeta', 'v1.ObjectMeta', () => [
    ['name', 1, STRING, OMIT_EMPTY],
    ['namespace', 3, STRING, OMIT_EMPTY],
    ['uid', 5, STRING, OMIT_EMPTY],
    ['resourceVersion', 6, STRING, OMIT_EMPTY],
  ]);
  const spec = struct('test.WidgetSpec', 'test.WidgetSpec', () => [['color', 1, STRING, OMIT_EMPTY]]);
  const schema = struct('test.Widget', 'test.Widget', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['metadata', 1, metadata],
    ['spec', 2, spec, OMIT_EMPTY | POINTER],
  ]);
  const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const kind: KindSchema<Widget> = { gvk, schema, semantics: 'typed', listKind: 'WidgetList' };
  const definition = storedWidgetDefinition({ versions: [{ version: 'v1', schema: kind }] });
  const encoded = (mediaType: Parameters<typeof createEncodedForm>[2]) =>
    createEncodedForm(definition, memoizedCodecs(), mediaType);
  const atRest = encoded('application/vnd.kubernetes.protobuf').encode(make('ns/a', { spec: { color: 'red' } }));

  it.each(['application/vnd.kubernetes.protobuf', 'application/json'] as const)('is read in steps with %s', (type) => {
    const form = encoded(type);
    const steps = form.wireSteps?.(atRest, 7);
    expect(steps && atOnce(steps)).toEqual(form.wire(atRest, 7));
    expect(text(form.wire(atRest, 7).bytes)).toBe(WIRE);
  });

  it('is the only one whose form changes: JSON and YAML are not read in steps', () => {
    const form = encoded('application/json');
    expect([JSON_AT_REST, YAML_AT_REST].map((value) => form.wireSteps?.(Buffer.from(value), 7))).toEqual([
      undefined,
      undefined,
    ]);
  });
});
