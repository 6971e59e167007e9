import { ControllerRevision } from '@apiserver/api/apps/v1';
import { ConfigMap, Pod } from '@apiserver/api/core/v1';
import type { Json } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { cborItemOfJson, cborOfJson, encodeCbor, encodeCborItemSteps } from '@apiserver/apimachinery/codec/cbor';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { expect, it } from 'vitest';

const BOTH = ['protobuf', 'CBOR', 'item'];
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

/** The forms that are made without decoding. They are those of the decoded object. */
function converted(kind: KindSchema<unknown>, text: string): readonly string[] {
  const codec = compileKind(kind);
  const json = Buffer.from(text);
  const made = [codec.protobufOfJson(json), cborOfJson(kind, json), cborItemOfJson(kind, json)];
  if (made.every((bytes) => bytes === undefined)) return [];
  const { object } = codec.decodeJson(json, 'Ignore');
  const encoded = [codec.encodeProtobuf(object), encodeCbor(kind, object), atOnce(encodeCborItemSteps(kind, object))];
  const forms = BOTH.filter((_, i) => made[i] !== undefined);
  expect(made.flatMap((bytes) => hex(bytes) ?? [])).toEqual(
    encoded.flatMap((bytes, i) => (made[i] && hex(bytes)) ?? []),
  );
  return forms;
}

const configMap = (members: string) => `{"kind":"ConfigMap","apiVersion":"v1","metadata":{}${members}}`;
const managed = (fields: string) =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"managedFields":[{"fieldsV1":${fields}}]}}`;
const pod = (spec: string) =>
  `{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":null${spec}},"status":{}}`;

it.each<[string, string, readonly string[]]>([
  ['texts', configMap(',"data":{"a":"b","ü":"\\u003cc\\n"}'), BOTH],
  ['bytes', configMap(',"binaryData":{"a":"","b":"Zm9v"}'), BOTH],
  ['other base64', configMap(',"binaryData":{"a":"Zm9="}'), []],
  ['a kind that is no text', configMap('').replace('"ConfigMap"', '5'), []],
  ['an unknown member', configMap(',"a":1'), []],
  ['a member twice', configMap(',"data":{"a":"b"},"data":{"a":"b"}'), []],
  ['a key twice', configMap(',"data":{"a":"b","a":"c"}'), []],
  ['keys in no order', configMap(',"data":{"b":"b","a":"c"}'), ['CBOR', 'item']],
  ['a null item', configMap(',"data":{"a":null}'), []],
  ['a member that JSON leaves out', configMap(',"data":{}'), ['protobuf']],
  ['null for an absent member', configMap(',"data":null'), ['protobuf']],
  ['no metadata', '{"kind":"ConfigMap","apiVersion":"v1"}', ['protobuf']],
  ['metadata of another type', configMap('').replace('{}', '[]'), []],
  ['fields', managed('{"f:a":{".":{},"k:{\\"b\\":1}":{}}}'), BOTH],
  ['fields in no order', managed('{"f:b":{},"f:a":{}}'), BOTH],
  ['a field twice', managed('{"f:b":{},"f:a":{},"f:b":{}}'), []],
  ['fields that are indexes', managed('{"10":{},"9":{}}'), ['CBOR', 'item']],
  ['fields with other escapes', managed('{"f:\\u003ca":{}}'), ['CBOR', 'item']],
  ['fields with a slash', managed('{"f:a\\/b":{},"f:\\\\u":{}}'), ['CBOR', 'item']],
  ['numbers', pod(',"activeDeadlineSeconds":123456789012345,"priority":-5'), BOTH],
  ['a number beyond 32 bits', pod(',"priority":2147483648'), []],
  ['a text for a number', pod(',"priority":"5"'), []],
  ['quantities', pod(',"overhead":{"a":"1500m","b":"2Gi","c":"123456"}'), BOTH],
  ['a quantity in another form', pod(',"overhead":{"a":"1000m"}'), []],
  ['a quantity that is a number', pod(',"overhead":{"a":1}'), []],
])('%s', (_, text, forms) => {
  const kind = text.startsWith('{"kind":"Pod"') ? Pod : ConfigMap;
  expect(converted(kind, text)).toEqual(forms);
});

it.each<[string, readonly string[]]>([
  ['{"a":[1,"b"]}', BOTH],
  ['{"a":"<"}', ['CBOR', 'item']],
  ['{"a":"\\u003c"}', ['CBOR', 'item']],
  ['{"&":1}', ['CBOR', 'item']],
  ['{"a":"\u2028"}', ['CBOR', 'item']],
  ['{"10":"a","9":"b"}', ['CBOR', 'item']],
])('the data %s of a revision', (data, forms) => {
  const text = `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":${data},"revision":1}`;
  expect(converted(ControllerRevision, text)).toEqual(forms);
});

it.each<[string, readonly string[]]>([
  ['2026-01-31T03:04:05Z', BOTH],
  ['2024-02-29T03:04:05Z', BOTH],
  ['2023-02-29T03:04:05Z', []],
  ['0001-01-01T00:00:00Z', []],
  ['0100-01-01T00:00:00Z', BOTH],
  ['2026-01-02T03:04:05+01:00', []],
  ['2026-01-02T03:04:05.5Z', []],
  ['today', []],
])('the time %s', (time, forms) => {
  const text = configMap('').replace('{}', `{"creationTimestamp":"${time}"}`);
  expect(converted(ConfigMap, text)).toEqual(forms);
});

it('the fields of an object that were read before', () => {
  const fields = '{"f:a":{"f:b":{},"v:\\"x\\"":{}}}';
  const otherwise = fields.replace('"f:b":{}', '"f:b":{"a":1}');
  const texts = [
    managed(fields),
    managed(fields).replace('}]', '},{"manager":"m","fieldsV1":{"f:c":{}}}]'),
    managed(`${fields}`).replace('"fieldsV1"', '"manager":"m","fieldsV1"'),
    managed(otherwise),
    managed(fields),
  ];
  expect(texts.map((text) => converted(ConfigMap, text))).toEqual(texts.map(() => BOTH));
});

it.each([
  ['are no struct', configMap(',"data":{"V1":FIELDS}')],
  ['are no metadata', configMap('').replace('{}', '{"f1":FIELDS}').replace('f1', 'labels')],
  ['are not followed by others', managed('FIELDS{}')],
  ['are not closed', managed('FIELDS').slice(0, -4)],
])('known fields %s', (_, text) => {
  const fields = '{"f:known":{"f:b":{}}}';
  expect(converted(ConfigMap, managed(fields))).toEqual(BOTH);
  const codec = compileKind(ConfigMap);
  expect(codec.protobufOfJson(Buffer.from(text.replace('FIELDS', fields)))).toBeUndefined();
});

it('refuses raw values that are too deep for a stored object, whatever a patch or message made them of', () => {
  const codec = compileKind(ControllerRevision);
  /** The data of a revision is on the second level. */
  const revision = (levels: number): Json => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {},
    data: Array.from({ length: levels - 1 }).reduce((inner: Json) => [inner], 1),
    revision: 1,
  });
  const read: readonly ((value: Json) => unknown)[] = [
    (value) => codec.fromJson(value, 'Ignore'),
    (value) => atOnce(codec.fromJsonSteps(value, 'Ignore')),
    (value) => codec.fromUnstructured(value, 'Ignore'),
    (value) => atOnce(codec.fromUnstructuredSteps(value, 'Ignore', false)),
  ];
  for (const decode of read) {
    expect(() => decode(revision(1_000))).not.toThrow();
    expect(() => decode(revision(1_001))).toThrow('exceeded max depth');
  }
  const message = codec.encodeProtobuf(codec.fromJson(revision(1_000), 'Ignore').object);
  expect(() => codec.decodeProtobuf(message, 10_000)).not.toThrow();
});
