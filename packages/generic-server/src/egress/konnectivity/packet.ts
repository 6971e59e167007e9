import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** The types of packets, by their numbers. Upstream: PacketType of konnectivity-client/proto/client/client.proto */
const TYPES = ['DIAL_REQ', 'DIAL_RSP', 'CLOSE_REQ', 'CLOSE_RSP', 'DATA', 'DIAL_CLS', 'DRAIN'] as const;

/** The type of a packet; `Unknown` for one of a later protocol. */
export type PacketType = (typeof TYPES)[number] | 'Unknown';

/** The fields of all payloads. */
interface Payload {
  readonly protocol: string;
  /** Host and port. */
  readonly address: string;
  /** Identifies a dial. */
  readonly random: bigint;
  /** "" for none. */
  readonly error: string;
  /** Identifies a connection; 0 for none. */
  readonly connectId: bigint;
  readonly data: Uint8Array;
}

/** A packet with the fields of its payload; all others are empty. */
export interface Packet extends Payload {
  readonly type: PacketType;
}

type FieldName = keyof Payload;

/** The field of each type's payload in a packet. */
const PAYLOADS = { DIAL_REQ: 2, DIAL_RSP: 3, CLOSE_REQ: 5, CLOSE_RSP: 6, DATA: 4, DIAL_CLS: 7, DRAIN: 8 } as const;

/** The fields of a payload by their numbers, from 1. */
const FIELDS: Readonly<Record<number, readonly FieldName[]>> = {
  [PAYLOADS.DIAL_REQ]: ['protocol', 'address', 'random'],
  [PAYLOADS.DIAL_RSP]: ['error', 'connectId', 'random'],
  [PAYLOADS.DATA]: ['connectId', 'error', 'data'],
  [PAYLOADS.CLOSE_REQ]: ['connectId'],
  [PAYLOADS.CLOSE_RSP]: ['error', 'connectId'],
  [PAYLOADS.DIAL_CLS]: ['random'],
  [PAYLOADS.DRAIN]: [],
};

const EMPTY: Payload = {
  protocol: '',
  address: '',
  random: 0n,
  error: '',
  connectId: 0n,
  data: new Uint8Array(0),
};

type MutablePayload = { -readonly [Name in FieldName]: Payload[Name] };

/** Reads a field. */
const READERS: Readonly<Record<FieldName, (payload: MutablePayload, reader: BinaryReader) => void>> = {
  protocol: (payload, reader) => {
    payload.protocol = reader.string();
  },
  address: (payload, reader) => {
    payload.address = reader.string();
  },
  random: (payload, reader) => {
    payload.random = BigInt(reader.int64());
  },
  error: (payload, reader) => {
    payload.error = reader.string();
  },
  connectId: (payload, reader) => {
    payload.connectId = BigInt(reader.int64());
  },
  data: (payload, reader) => {
    payload.data = reader.bytes();
  },
};

/** A packet as protobuf; fields that are left out are empty. */
export function encodePacket(type: keyof typeof PAYLOADS, payload: Partial<Payload>): Uint8Array {
  const number = PAYLOADS[type];
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(TYPES.indexOf(type));
  writer.tag(number, WireType.LengthDelimited).fork();
  for (const [at, name] of (FIELDS[number] ?? []).entries()) writeField(writer, at + 1, payload[name]);
  return writer.join().finish();
}

function writeField(writer: BinaryWriter, number: number, value: Payload[FieldName] | undefined): void {
  if (typeof value === 'bigint') writer.tag(number, WireType.Varint).int64(value);
  else if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
  else if (value !== undefined) writer.tag(number, WireType.LengthDelimited).bytes(value);
}

/** Reads a packet; its data shares the bytes. Throws an Error for what is no protobuf. */
export function decodePacket(bytes: Uint8Array): Packet {
  const reader = new BinaryReader(bytes);
  let type: PacketType = TYPES[0];
  let payload = EMPTY;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const fields = FIELDS[number];
    if (number === 1) type = TYPES[reader.int32()] ?? 'Unknown';
    else if (fields === undefined) reader.skip(wireType, number);
    else payload = readPayload(reader, fields);
  }
  return { type, ...payload };
}

function readPayload(reader: BinaryReader, fields: readonly FieldName[]): Payload {
  const payload: MutablePayload = { ...EMPTY };
  const length = reader.uint32();
  for (const end = reader.pos + length; reader.pos < end; ) {
    const [number, wireType] = reader.tag();
    const name = fields[number - 1];
    if (name === undefined) reader.skip(wireType, number);
    else READERS[name](payload, reader);
  }
  return payload;
}
