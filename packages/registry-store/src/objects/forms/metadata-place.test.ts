import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Widget } from '../../testing/widget.js';
import { widgetKind } from '../../testing/widget-kind.js';
import { jsonMember } from './json-members.js';
import { metadataFinder } from './metadata-place.js';
import { partsReader } from './object-parts.js';

const codec = compileKind(widgetKind);
/** Texts that look like the end of metadata, or like managed fields. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('},"spec":', '}},"status":{', ',"managedFields":[', '"', '\\', '},', 'spec', 'managedFields'),
);
const fieldName = fc.oneof(
  fc.constantFrom('f:spec', 'f:status', '.'),
  text.map((name) => `v:"${name}"`),
);
const fieldsV1 = fc.dictionary(fieldName, fc.dictionary(fieldName, fc.constant({})));
const metadata = fc.record(
  {
    name: text,
    creationTimestamp: fc.constantFrom('2026-01-02T03:04:05Z'),
    labels: fc.dictionary(text, text),
    annotations: fc.dictionary(text, text),
    finalizers: fc.array(text),
    ownerReferences: fc.array(fc.record({ apiVersion: text, kind: text, name: text, uid: text }), { maxLength: 2 }),
    managedFields: fc.array(fc.record({ manager: text, fieldsV1, subresource: text }), { maxLength: 2 }),
  },
  { requiredKeys: ['creationTimestamp'] },
);
const rest = fc.record(
  { spec: fc.record({ color: text }), status: fc.record({ ready: fc.boolean() }) },
  { requiredKeys: [] },
);

function placeByMembers(json: Buffer) {
  const member = jsonMember(json, 0, 'metadata');
  return member && { start: member.valueStart, end: member.end };
}

describe('the metadata of an object', () => {
  it('is found, whatever it and the rest contain', () => {
    fc.assert(
      fc.property(metadata, rest, (metadata, rest) => {
        const json = Buffer.from(
          codec.encodeJson({ kind: 'Widget', apiVersion: 'example.com/v1', metadata, ...rest } as Widget),
        );
        const place = metadataFinder(widgetKind)(json);
        expect(place).toEqual(placeByMembers(json));
        const parts = place && partsReader(widgetKind)(json, place);
        const { object } = codec.decodeJson(json, 'Ignore');
        const { managedFields: _, ...shown } = object.metadata;
        expect(parts).toEqual({ ...object, metadata: shown });
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 500 },
    );
  });

  const head = '{"kind":"Widget","apiVersion":"example.com/v1","metadata":';
  const managed = '{"name":"a","managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]}';

  it.each([
    ['of another kind', '{"kind":"Other","apiVersion":"example.com/v1","metadata":{},"spec":{}}'],
    ['without a type in front', '{"metadata":{"labels":{}},"kind":"Widget"}'],
    ['that is null', `${head}null,"spec":{"a":{},"spec":{}}}`],
    ['that is empty', `${head}{}}`],
    ['with managed fields at the end', `${head}${managed}}`],
    ['with an unknown member behind it', `${head}{},"other":{"a":{},"spec":{}},"spec":{}}`],
    ['with managed fields and an unknown member', `${head}${managed},"other":{"a":[]},"spec":{}}`],
    ['with an unknown member in it', `${head}{"other":{},"more":{}},"status":{}}`],
    ['with managed fields behind it', `${head}{"name":"a"},"spec":{"metadata":${managed},"spec":{}}}`],
    ['with managed fields far behind it', `${head}{"labels":{}},"spec":{"metadata":${managed}},"status":{}}`],
  ])('%s is found', (_, json) => {
    const [found, expected] = [metadataFinder(widgetKind)(Buffer.from(json)), placeByMembers(Buffer.from(json))];
    expect([found, found === undefined]).toEqual([expected, false]);
  });

  it('is not there without a member', () => {
    expect([
      metadataFinder(widgetKind)(Buffer.from('{"kind":"Widget"}')),
      metadataFinder(widgetKind)(Buffer.of()),
    ]).toEqual([undefined, undefined]);
  });

  it('is found in a kind with members as in metadata', () => {
    const fields = widgetKind.schema.fields.map((field) => ({
      ...field,
      name: field.name === 'spec' ? 'annotations' : field.name,
    }));
    const kind: KindSchema<Widget> = { ...widgetKind, schema: { ...widgetKind.schema, fields } };
    const json = Buffer.from(`${head}{"labels":{},"annotations":{}},"annotations":{}}`);
    expect(metadataFinder(kind)(json)).toEqual(placeByMembers(json));
  });
});
