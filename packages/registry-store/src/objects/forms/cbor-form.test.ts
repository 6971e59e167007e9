import { atOnce } from '@apiserver/apimachinery/clock';
import * as cbor from '@apiserver/apimachinery/codec/cbor';
import { expect, it } from 'vitest';
import { make } from '../../testing/suites/storage-suite-fixture.js';
import { memoizedCodecs, storedWidgetDefinition, widgetsOfTwoVersions } from '../../testing/widget-kind.js';
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

it('writes in steps what it writes at once, without a version', () => {
  const object = make('ns/a', { spec: { color: 'red' } });
  const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: '3' } };
  const steps = form.encodeSteps?.(versioned);
  expect(steps && Buffer.from(atOnce(steps))).toEqual(Buffer.from(form.encode(versioned)));
  expect(Buffer.from(form.encode(versioned))).toEqual(Buffer.from(form.encode(object)));
});

it('writes the version of storage', () => {
  const ofTwo = createCborForm(widgetsOfTwoVersions(), memoizedCodecs(), cbor);
  const object = make('ns/a', { spec: { color: 'red' } });
  const steps = ofTwo.encodeSteps?.(object);
  for (const atRest of [ofTwo.encode(object), ...(steps === undefined ? [] : [atOnce(steps)])]) {
    expect(cbor.decodeCborMap(atRest)).toMatchObject({ apiVersion: 'example.com/v2' });
    const { bytes, outdated } = ofTwo.wire(atRest, 7);
    expect([JSON.parse(Buffer.from(bytes).toString()), outdated]).toEqual([JSON.parse(WIRE), false]);
  }
  expect([steps === undefined, ofTwo.wireIsAtRest, form.wireIsAtRest]).toEqual([false, false, true]);
});

it('has the wire bytes of JSON', () => {
  const json = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
  const wire = Buffer.from(WIRE);
  expect(Buffer.from(form.rewire(wire, 12)).toString()).toBe(WIRE.replace('"7"', '"12"'));
  expect(atOnce(form.decodeSteps(wire))).toEqual(JSON.parse(WIRE));
  const bookmarks = [form.bookmark(9), form.bookmark(9, { a: 'b' })].map((bytes) => Buffer.from(bytes).toString());
  expect(bookmarks).toEqual(
    [json.bookmark(9), json.bookmark(9, { a: 'b' })].map((bytes) => Buffer.from(bytes).toString()),
  );
  expect(bookmarks.map((text) => JSON.parse(text).metadata)).toEqual([
    expect.objectContaining({ resourceVersion: '9' }),
    expect.objectContaining({ resourceVersion: '9', annotations: { a: 'b' } }),
  ]);
  expect(form.wireForm).toEqual(json.wireForm);
});
