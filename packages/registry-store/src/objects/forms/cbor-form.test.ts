import { atOnce } from '@apiserver/apimachinery/clock';
import * as cbor from '@apiserver/apimachinery/codec/cbor';
import { expect, it } from 'vitest';
import { make } from '../../testing/suites/storage-suite-fixture.js';
import { memoizedCodecs, storedWidgetDefinition } from '../../testing/widget-kind.js';
import { createCborForm } from './cbor-form.js';
import { createJsonForm } from './object-form.js';

const form = createCborForm(storedWidgetDefinition(), memoizedCodecs(), cbor);
const WIRE =
  '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"ns","uid":"uid-a",' +
  '"resourceVersion":"7"},"spec":{"color":"red"}}';

it('writes CBOR without a version, and reads it as JSON with one', () => {
  const object = make('ns/a', { spec: { color: 'red' } });
  const atRest = form.encode({ ...object, metadata: { ...object.metadata, resourceVersion: '3' } });
  const { bytes, outdated } = form.wire(atRest, 7);
  expect([cbor.isCborObject(atRest), cbor.diagnoseCbor(atRest).includes('resourceVersion'), outdated]).toEqual([
    true,
    false,
    false,
  ]);
  expect([JSON.parse(Buffer.from(bytes).toString()), form.decode(bytes)]).toEqual([
    JSON.parse(WIRE),
    { ...object, metadata: { ...object.metadata, resourceVersion: '7' } },
  ]);
});

it('reports JSON as outdated', () => {
  const { bytes, outdated } = form.wire(Buffer.from(WIRE), 8);
  expect([Buffer.from(bytes).toString(), outdated]).toEqual([WIRE.replace('"7"', '"8"'), true]);
});

it('reads CBOR where objects are stored in JSON, and reports it as outdated', () => {
  const atRest = form.encode(make('ns/a', { spec: { color: 'red' } }));
  const json = createJsonForm(storedWidgetDefinition(), memoizedCodecs(), { readCbor: cbor });
  const { bytes, outdated } = json.wire(atRest, 7);
  expect([JSON.parse(Buffer.from(bytes).toString()), outdated]).toEqual([JSON.parse(WIRE), true]);
  expect(json.wire(Buffer.from(WIRE), 7).outdated).toBe(false);
});

it('reads in steps what it reads at once', () => {
  const atRest = form.encode(make('ns/a', { spec: { color: 'red' } }));
  const json = createJsonForm(storedWidgetDefinition(), memoizedCodecs(), { readCbor: cbor });
  const rewritten = createCborForm(storedWidgetDefinition({ mayBeOutdatedAtRest: true }), memoizedCodecs(), cbor);
  for (const [reader, bytes] of [
    [form, atRest],
    [json, atRest],
    [rewritten, atRest],
    [rewritten, Buffer.from(WIRE)],
  ] as const) {
    const steps = reader.wireSteps?.(bytes, 7);
    expect(steps && atOnce(steps)).toEqual(reader.wire(bytes, 7));
  }
  expect(form.wireSteps?.(Buffer.from(WIRE), 7)).toBeUndefined();
});
