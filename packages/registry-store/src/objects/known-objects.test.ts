import { freezeJson } from '@apiserver/apimachinery/json';
import { expect, it } from 'vitest';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { createJsonForm } from './forms/object-form.js';
import { KnownObjects } from './known-objects.js';

const marks = { uid: '{uid}', time: '{time}' };
const text = (uid: string, time: string, changes = '') =>
  `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"ns","uid":"${uid}",` +
  `"creationTimestamp":"${time}","labels":{"a":"5","time":"${time}"},"managedFields":[{"manager":"m","operation":"Update",` +
  `"apiVersion":"example.com/v1","time":"${time}","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]},"spec":{"size":1${changes}}}`;

const key = 'widgets/ns/a';
const form = createJsonForm(storedWidgetDefinition(), memoizedCodecs());
const uids = ['0f9a2f4e-6a4c-4c6f-9a8e-0d1f2e3c4b5a', '1f9a2f4e-6a4c-4c6f-9a8e-0d1f2e3c4b5a'] as const;
const times = ['2026-01-01T00:00:00Z', '2027-02-02T01:01:01Z'] as const;
const known = () => new KnownObjects([{ key, text: text(marks.uid, marks.time) }], marks);
const wireOf = (stored: string, revision: number) => form.wire(Buffer.from(stored), revision).bytes;

it('decodes as the form does, and shares what does not differ', () => {
  const objects = known();
  const [first, second] = [wireOf(text(uids[0], times[0]), 5), wireOf(text(uids[1], times[1]), 1234)].map((bytes) => {
    const decoded = objects.decode(key, bytes, form);
    expect(decoded).toEqual(freezeJson(form.decode(bytes)));
    return decoded;
  });
  expect(first?.metadata).toMatchObject({ uid: uids[0], resourceVersion: '5', labels: { a: '5', time: times[0] } });
  expect(second?.metadata).toMatchObject({ uid: uids[1], resourceVersion: '1234', labels: { a: '5', time: times[1] } });
  const fields = [first, second].map((object) => object?.metadata.managedFields?.[0]?.fieldsV1);
  expect([fields[0] === fields[1], first?.spec === second?.spec, first?.metadata === second?.metadata]).toEqual([
    true,
    true,
    false,
  ]);
  expect([second, second?.metadata, second?.metadata.labels].every(Object.isFrozen)).toBe(true);
});

it.each([
  ['other content', text(uids[0], times[0], ',"color":"red"')],
  ['other content of the same length', text(uids[0], times[0]).replace('"name":"a"', '"name":"b"')],
  ['a shorter object', text(uids[0], times[0]).replace('"size":1', '"size":')],
  ['no UID', text('x'.repeat(36), times[0])],
  ['an escape in place of a UID', text(`${uids[0].slice(0, 34)}\\"`, times[0])],
  ['no time', text(uids[0], 'x'.repeat(20))],
  ['different times', text(uids[0], times[0]).replace(`"time":"${times[0]}"`, `"time":"${times[1]}"`)],
])('does not know %s', (_, stored) => {
  expect(known().decode(key, wireOf(stored, 5), form)).toBeUndefined();
});

it('does not know other keys', () => {
  expect(known().decode('widgets/ns/b', wireOf(text(uids[0], times[0]), 5), form)).toBeUndefined();
});
