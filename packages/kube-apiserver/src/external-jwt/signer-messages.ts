import { BoundedReader } from '@apiserver/registry-store/grpc';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A header and a signature, in base64url as in the token. */
export interface SignedParts {
  readonly header: string;
  readonly signature: string;
}

/** A key as a signer describes it. */
export interface FetchedKey {
  readonly keyId: string;
  /** SPKI, DER. */
  readonly key: Uint8Array;
  readonly excludeFromDiscovery: boolean;
}

/** The keys of a signer. */
export interface FetchedKeys {
  readonly keys: readonly FetchedKey[];
  /** Seconds since the epoch; undefined if the signer names no time. */
  readonly dataTimestamp: number | undefined;
  readonly refreshHintSeconds: number;
}

/** Messages of the protocol of external signers. Upstream: k8s.io/externaljwt/apis/v1/api.proto */
export function encodeSignRequest(claims: string): Uint8Array {
  return new BinaryWriter().tag(1, WireType.LengthDelimited).string(claims).finish();
}

export function decodeSignResponse(bytes: Uint8Array): SignedParts {
  const reader = new BoundedReader(bytes);
  const parts = { header: '', signature: '' };
  readFields(reader, (field) => {
    if (field === 1) parts.header = reader.string();
    else if (field === 2) parts.signature = reader.string();
    else return false;
    return true;
  });
  return parts;
}

export function decodeFetchKeysResponse(bytes: Uint8Array): FetchedKeys {
  const reader = new BoundedReader(bytes);
  const keys: FetchedKey[] = [];
  let dataTimestamp: number | undefined;
  let refreshHintSeconds = 0;
  readFields(reader, (field) => {
    if (field === 1) keys.push(readKey(reader));
    else if (field === 2) dataTimestamp = readTimestamp(reader);
    else if (field === 3) refreshHintSeconds = Number(reader.int64());
    else return false;
    return true;
  });
  return { keys, dataTimestamp, refreshHintSeconds };
}

/** The maximum lifetime of tokens in seconds. */
export function decodeMetadataResponse(bytes: Uint8Array): number {
  const reader = new BoundedReader(bytes);
  let seconds = 0;
  readFields(reader, (field) => {
    if (field !== 1) return false;
    seconds = Number(reader.int64());
    return true;
  });
  return seconds;
}

function readKey(reader: BoundedReader): FetchedKey {
  const read = { keyId: '', key: new Uint8Array(0), excludeFromDiscovery: false };
  const end = reader.uint32() + reader.pos;
  readFields(
    reader,
    (field) => {
      if (field === 1) read.keyId = reader.string();
      else if (field === 2) read.key = Uint8Array.from(reader.bytes());
      else if (field === 3) read.excludeFromDiscovery = reader.bool();
      else return false;
      return true;
    },
    end,
  );
  return read;
}

/** A google.protobuf.Timestamp. */
function readTimestamp(reader: BoundedReader): number {
  let [seconds, nanoseconds] = [0, 0];
  const end = reader.uint32() + reader.pos;
  readFields(
    reader,
    (field) => {
      if (field === 1) seconds = Number(reader.int64());
      else if (field === 2) nanoseconds = reader.int32();
      else return false;
      return true;
    },
    end,
  );
  return seconds + nanoseconds / 1e9;
}

/** Reads every field of a message; fields for which `read` returns false are skipped. */
function readFields(reader: BoundedReader, read: (field: number) => boolean, end: number = reader.len): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (!read(field)) reader.skip(wireType, field);
  }
}
