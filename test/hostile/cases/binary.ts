import { CONFIG_MAPS, type HostileCase, MAX_BODY, MIB, sending } from '../hostile-case.ts';

/** Repeats a pattern until the body is full; `spent` bytes remain for the rest of the body. */
function filled(pattern: readonly number[], spent = 1_024): Buffer {
  const size = MAX_BODY - spent;
  return Buffer.alloc(size - (size % pattern.length), Uint8Array.from(pattern));
}

const text = (value: string) => Buffer.from(value, 'latin1');

/** A CBOR text of up to 23 bytes. */
const cborText = (value: string) => Buffer.concat([Buffer.of(0x60 + value.length), text(value)]);

/** A ConfigMap in CBOR with one more member; maps and lists of indefinite length need no count. */
function cborObject(name: string, key: string, value: Uint8Array): Buffer {
  const metadata = [cborText('metadata'), Buffer.of(0xa1), cborText('name'), cborText(name)];
  const typeMeta = [cborText('apiVersion'), cborText('v1'), cborText('kind'), cborText('ConfigMap')];
  const head = [Buffer.of(0xd9, 0xd9, 0xf7, 0xbf), ...typeMeta, ...metadata];
  return Buffer.concat([...head, cborText(key), value, Buffer.of(0xff)]);
}

/** Metadata in CBOR with managers that have a list of items each. */
function managedFields(count: number, items: Uint8Array): Buffer {
  const list = Buffer.concat([Buffer.of(0x9f), items, Buffer.of(0xff)]);
  const manager = [Buffer.of(0xa1), cborText('fieldsV1'), Buffer.of(0xa1), cborText('f:data'), list];
  const managers = Array<readonly Buffer[]>(count).fill(manager).flat();
  return Buffer.concat([Buffer.of(0xa1), cborText('managedFields'), Buffer.of(0x9f), ...managers, Buffer.of(0xff)]);
}

const CBOR_HOLES: Readonly<Record<string, () => Uint8Array>> = {
  'small maps': () => Buffer.concat([Buffer.of(0x9f), filled([0xa0]), Buffer.of(0xff)]),
  'lists in lists': () => Buffer.concat([Buffer.alloc(9_000, 0x81), Buffer.of(0x80)]),
  'lists in lists beyond all bounds': () => filled([0x81]),
  'a number of millions of digits': () => Buffer.concat([Buffer.of(0xc2, 0x5a, 0, 0x2f, 0, 0), filled([0xff], 65_536)]),
  'a text in empty pieces': () => Buffer.concat([Buffer.of(0x7f), filled([0x60]), Buffer.of(0xff)]),
  'a text in pieces': () => Buffer.concat([Buffer.of(0x7f), filled([0x62, 0x64, 0x64]), Buffer.of(0xff)]),
  'a list that says it is long': () => Buffer.of(0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
  'a text that says it is long': () => Buffer.of(0x7b, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff),
  'small maps within the bound': () => Buffer.concat([Buffer.of(0x9f), Buffer.alloc(99_000, 0xa0), Buffer.of(0xff)]),
  'short texts within the bound': () =>
    Buffer.concat([Buffer.of(0x9f), Buffer.alloc(198_000, text('ax')), Buffer.of(0xff)]),
  'keys within the bound': () =>
    Buffer.concat([
      Buffer.of(0xbf),
      ...Array.from({ length: 99_000 }, (_, index) => Buffer.concat([cborText(`k${index}`), Buffer.of(0x60)])),
      Buffer.of(0xff),
    ]),
  'duplicate keys': () => Buffer.concat([Buffer.of(0xbf), filled([0x61, 0x61, 0x61, 0x62]), Buffer.of(0xff)]),
  'simple values that nothing takes': () =>
    Buffer.concat([Buffer.of(0x9f), Buffer.alloc(99_000, 0xf0), Buffer.of(0xff)]),
  'managed fields of many faults each': () => managedFields(195, Buffer.alloc(990, 0xf0)),
  'managed fields of many values each': () => managedFields(95, Buffer.alloc(990, 0xa0)),
  'keys of a wrong type': () => Buffer.concat([Buffer.of(0xbf), Buffer.alloc(99_000, 0x00), Buffer.of(0xff)]),
  'tags in tags': () => Buffer.concat([filled([0xd9, 0xd9, 0xf7]), Buffer.of(0x60)]),
  fractions: () => Buffer.concat([Buffer.of(0x9f), filled([0xf9, 0x3e, 0]), Buffer.of(0xff)]),
};

/** A field of a protobuf message with bytes. */
function field(number: number, value: Uint8Array): Buffer {
  const size: number[] = [];
  let left = value.length;
  for (; left > 0x7f; left >>>= 7) size.push((left & 0x7f) | 0x80);
  return Buffer.concat([Buffer.of((number << 3) | 2, ...size, left), value]);
}

/** A ConfigMap in protobuf with more fields. */
function protobufObject(name: string, more: Uint8Array): Buffer {
  const typeMeta = field(1, Buffer.concat([field(1, text('v1')), field(2, text('ConfigMap'))]));
  return Buffer.concat([text('k8s\0'), typeMeta, field(2, Buffer.concat([field(1, field(1, text(name))), more]))]);
}

/** A label among metadata. */
const label = (index: number) => field(11, Buffer.concat([field(1, text(`k${index}`)), field(2, text('v'))]));
const labels = (count: number) => Buffer.concat(Array.from({ length: count }, (_, index) => label(index)));

const PROTOBUF_HOLES: Readonly<Record<string, () => Uint8Array>> = {
  'unknown fields': () => filled([0xf8, 0x7f, 1]),
  'data without keys': () => filled([0x12, 0]),
  'empty metadata': () => filled([0x0a, 0]),
  'metadata within the bound': () => Buffer.alloc(2 * 79_000, Uint8Array.of(0x0a, 0)),
  'labels, then metadata in pieces': () =>
    Buffer.concat([field(1, labels(15_000)), Buffer.alloc(2 * 60_000, Uint8Array.of(0x0a, 0))]),
  'metadata of one label each': () => Buffer.concat(Array.from({ length: 30_000 }, (_, i) => field(1, label(i)))),
  'groups in groups': () => filled([0x0b]),
  'empty finalizers': () => field(1, filled([0x72, 0])),
  'empty managers': () => field(1, filled([0x8a, 1, 0])),
  'numbers without an end': () => filled([0xff]),
  'a length beyond the end': () => Buffer.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x07),
};

/** Bodies in CBOR and protobuf. */
export const BINARY_CASES: readonly HostileCase[] = [
  ...Object.entries(CBOR_HOLES).flatMap(([hole, value]) =>
    ['x', 'data'].map((key) => ({
      name: `POST of CBOR: ${hole} as ${key}`,
      // The response is JSON, whose keys and quotes take about twice the bytes of CBOR's.
      ...(hole.startsWith('keys') && key === 'data' && { maxResponse: 2 * MIB }),
      request: (name: string) => sending('POST', CONFIG_MAPS, 'cbor', cborObject(name, key, value())),
    })),
  ),
  ...Object.entries(PROTOBUF_HOLES).map(([hole, more]) => ({
    name: `POST of protobuf: ${hole}`,
    // The response is JSON.
    ...(hole.includes('label') ? { maxResponse: MIB } : undefined),
    request: (name: string) => sending('POST', CONFIG_MAPS, 'protobuf', protobufObject(name, more())),
  })),
  ...Object.entries({ types: field(1, text('')), objects: field(2, text('')) }).map(([parts, part]) => ({
    name: `POST of protobuf: an envelope with a million empty ${parts}`,
    request: (name: string) => {
      const pieces = Buffer.alloc(2_900_000, part);
      return sending(
        'POST',
        CONFIG_MAPS,
        'protobuf',
        Buffer.concat([text('k8s\0'), pieces, protobufObject(name, text('')).subarray(4)]),
      );
    },
    status: 201,
  })),
];
