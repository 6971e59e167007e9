import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { type EtcdKeyValue, messageEnd, readFields, readHeader, readInt64, readKeyValue } from './key-value.js';

/** etcdserverpb.WatchCreateRequest, with the fields that are used. */
export interface EtcdWatchCreation {
  readonly key: string;
  readonly end: string;
  /** 0: from the next change on. */
  readonly startRevision: number;
  /** Include the previous state in each event. */
  readonly previous: boolean;
}

/** mvccpb.Event; for a deletion `kv` only has the key and the revision. */
export interface EtcdEvent {
  readonly deleted: boolean;
  readonly kv: EtcdKeyValue;
  readonly previous: EtcdKeyValue | undefined;
}

/** etcdserverpb.WatchResponse */
export interface EtcdWatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly events: readonly EtcdEvent[];
}

/**
 * A WatchRequest that begins a watch. Progress is notified, so that a quiet watch can resume from a recent revision.
 */
export function encodeWatchCreation({ key, end, startRevision, previous }: EtcdWatchCreation): Uint8Array {
  const writer = new BinaryWriter().uint32(0x0a).fork();
  writer.uint32(0x0a).string(key).uint32(0x12).string(end);
  if (startRevision !== 0) writer.uint32(0x18).int64(startRevision);
  writer.uint32(0x20).bool(true);
  if (previous) writer.uint32(0x30).bool(true);
  return writer.join().finish();
}

/** A WatchRequest for the progress of the stream's watches. */
export function encodeProgressRequest(): Uint8Array {
  return new BinaryWriter().uint32(0x1a).fork().join().finish();
}

export function decodeWatchResponse(bytes: Uint8Array): EtcdWatchResponse {
  const reader = new BinaryReader(bytes);
  const events: EtcdEvent[] = [];
  const response = { revision: 0, created: false, canceled: false, compactRevision: 0, cancelReason: '' };
  readFields(reader, reader.len, (field) => {
    if (field === 1) response.revision = readHeader(reader);
    else if (field === 3) response.created = reader.bool();
    else if (field === 4) response.canceled = reader.bool();
    else if (field === 5) response.compactRevision = readInt64(reader);
    else if (field === 6) response.cancelReason = reader.string();
    else if (field === 11) events.push(readEvent(reader));
    else return false;
    return true;
  });
  return { ...response, events };
}

const NO_ENTRY: EtcdKeyValue = { key: '', value: new Uint8Array(0), createRevision: 0, modRevision: 0, version: 0 };

function readEvent(reader: BinaryReader): EtcdEvent {
  let deleted = false;
  let kv = NO_ENTRY;
  let previous: EtcdKeyValue | undefined;
  readFields(reader, messageEnd(reader), (field) => {
    if (field === 1) deleted = reader.int32() === 1;
    else if (field === 2) kv = readKeyValue(reader);
    else if (field === 3) previous = readKeyValue(reader);
    else return false;
    return true;
  });
  return { deleted, kv, previous };
}
