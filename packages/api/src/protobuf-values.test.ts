import { ControllerRevision } from '@apiserver/api/apps/v1';
import { ConfigMap, PersistentVolume, Service } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { wrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';

const codec = compileKind(ConfigMap);
const MAX = 1_000;

/** A ConfigMap in its envelope with `count` repetitions of a field. */
const message = (count: number, field: readonly number[]) =>
  wrapUnknown({ apiVersion: 'v1', kind: 'ConfigMap' }, Buffer.alloc(count * field.length, Uint8Array.from(field)));

/** Reports whether a decoder with this limit refuses the message. */
function isRefused(bytes: Uint8Array, maxValues?: number): boolean {
  try {
    codec.decodeProtobuf(bytes, maxValues);
    return false;
  } catch (error) {
    if (isDecodeError(error) && error.reason === 'values') return true;
    throw error;
  }
}

it.each<[string, readonly number[], number]>([
  // The first message is not merged; each other message counts as a field too.
  ['merged messages', [0x0a, 0], (4 * MAX + 4) / 5],
  ['map entries', [0x12, 4, 0x0a, 0, 0x12, 0], MAX],
  ['unknown fields', [0xf8, 0x7f, 1], 4 * MAX],
  ['fields without a submessage', [0x20, 1], 4 * MAX],
])('limits %s if a limit is given', (_, field, most) => {
  const whole = Math.floor(most);
  expect([
    isRefused(message(whole, field), MAX),
    isRefused(message(whole + 1, field), MAX),
    isRefused(message(whole + 1, field)),
  ]).toEqual([false, true, false]);
});

it('merges split messages', () => {
  const piece = (name: string) => [0x12, 6, 0x0a, 1, name.charCodeAt(0), 0x12, 1, 0x78];
  const bytes = wrapUnknown({ apiVersion: 'v1', kind: 'ConfigMap' }, Uint8Array.from([...piece('a'), ...piece('b')]));
  expect(codec.decodeProtobuf(bytes, 2).object).toMatchObject({ data: { a: 'x', b: 'x' } });
});

it.each<[string, readonly number[], string]>([
  ['the type', [0x08, 1], 'proto: wrong wireType = 0 for field TypeMeta'],
  ['the message', [0x11, 0, 0, 0, 0, 0, 0, 0, 0], 'proto: wrong wireType = 1 for field Raw'],
  ['the encoding', [0x1d, 0, 0, 0, 0], 'proto: wrong wireType = 5 for field ContentEncoding'],
  ['the kind', [0x0a, 2, 0x10, 1], 'proto: wrong wireType = 0 for field Kind'],
])('refuses an envelope with %s in another wire type', (_, envelope, message) => {
  expect(() => codec.decodeProtobuf(Uint8Array.of(0x6b, 0x38, 0x73, 0, ...envelope))).toThrow(message);
});

const DECODERS = {
  ConfigMap: codec,
  ControllerRevision: compileKind(ControllerRevision),
  PersistentVolume: compileKind(PersistentVolume),
  Service: compileKind(Service),
} as const;

const PIECES = {
  // spec: capacity, and the inline source of the volume.
  source: ['PersistentVolume', [0x12, 9, 0x11, ...Array(8).fill(0)]],
  quantity: ['PersistentVolume', [0x12, 9, 0x0a, 7, 0x0a, 1, 97, 0x12, 2, 0x08, 1]],
  seconds: ['ConfigMap', [0x0a, 4, 0x42, 2, 0x0a, 0]],
  // spec.ports.targetPort
  number: ['Service', [0x0a, 0, 0x12, 6, 0x0a, 4, 0x22, 2, 0x12, 0]],
  raw: ['ControllerRevision', [0x12, 2, 0x08, 1]],
} as const satisfies Record<string, readonly [keyof typeof DECODERS, readonly number[]]>;

it.each<[keyof typeof PIECES, string]>([
  ['source', 'proto: wrong wireType = 1 for field PersistentVolumeSource'],
  ['quantity', 'proto: wrong wireType = 0 for field String_'],
  ['seconds', 'proto: wrong wireType = 2 for field Seconds'],
  ['number', 'proto: wrong wireType = 2 for field IntVal'],
  ['raw', 'proto: wrong wireType = 0 for field Raw'],
])('refuses the %s of a value in another wire type', (piece, message) => {
  const [kind, bytes] = PIECES[piece];
  const envelope = wrapUnknown({ apiVersion: 'v1', kind }, Uint8Array.from(bytes));
  expect(() => DECODERS[kind].decodeProtobuf(envelope)).toThrow(message);
});

it.each<[string, readonly number[], true | string]>([
  ['a length of ten bytes', [0x0a, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x0a, 1, 97], true],
  ['a tag of six bytes', [0x8a, 0x80, 0x80, 0x80, 0x80, 0, 3, 0x0a, 1, 97], true],
  ['a length beyond 2^32', [0x0a, 0x83, 0x80, 0x80, 0x80, 0x20, 0x0a, 1, 97], 'unexpected EOF'],
  ['a length of eleven bytes', [0x0a, 0x83, ...Array(9).fill(0x80), 0, 0x0a, 1, 97], 'proto: integer overflow'],
])('reads metadata with %s: %s', (_, bytes, isRead) => {
  const read = () => codec.decodeProtobuf(message(1, bytes)).object.metadata.name;
  if (isRead === true) expect(read()).toBe('a');
  else expect(read).toThrow(isRead);
});

/** A ControllerRevision with this data: the field of the message, and what becomes of the whole. */
function revision(data: string) {
  const revisions = compileKind(ControllerRevision);
  const raw = Buffer.from(data);
  const message = Buffer.concat([Uint8Array.of(0x12, raw.length + 2, 0x0a, raw.length), raw]);
  const envelope = wrapUnknown({ apiVersion: 'apps/v1', kind: 'ControllerRevision' }, message);
  const { object } = revisions.decodeProtobuf(envelope);
  return { message, encoded: Buffer.from(revisions.encodeProtobuf(object)) };
}

it.each([
  '{"args":["a \\u0026\\u0026 b","\\u003cc\\u003e","\\u2028\\n"]}',
  '{"nodeSelector":{"10":"a","9":"b","c":{"0":null,"1":[]}}}',
  '{"\\u0026":[{"b":1,"a":0.5}],"":"é"}',
  '{"b":9223372036854775807,"a":"{\\"1\\":"}',
  '"\\u003c"',
])('keeps the data %s of a revision, as a controller wrote it', (data) => {
  const { encoded, message } = revision(data);
  expect(encoded.includes(message)).toBe(true);
});

it('writes half a surrogate pair in the data of a revision as U+FFFD', () => {
  expect(revision('{"a":"\\ud800"}').encoded.includes('{"a":"\ufffd"}')).toBe(true);
});

/** The metadata of a ConfigMap that was created at this second since 1970, in six bytes. */
const createdAt = (second: bigint) => {
  const bytes = [0n, 7n, 14n, 21n, 28n, 35n].map(
    (shift) => Number((second >> shift) & 0x7fn) | (shift < 35n ? 0x80 : 0),
  );
  return message(1, [0x0a, 9, 0x42, 7, 0x08, ...bytes]);
};

it('refuses a time whose year has no four digits, and stays able to read a stored one', () => {
  const lastSecond = 253_402_300_799n;
  const read = (bytes: Uint8Array, maxValues?: number) =>
    codec.decodeProtobuf(bytes, maxValues).object.metadata.creationTimestamp;
  expect(read(createdAt(lastSecond), 100)).toBe('9999-12-31T23:59:59Z');
  expect(() => read(createdAt(lastSecond + 1n), 100)).toThrow('proto: year outside of range [0,9999]');
  expect(read(createdAt(lastSecond + 1n))).toBe('9999-12-31T23:59:59Z');
});
