import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';

/** Annotations of a KMS plugin, of 32 KiB, have 33,000 at most. Upstream has no such bound. */
const MAX_FIELDS = 50_000;

/** Reads a message of a plugin, which may have any number of fields without content. */
export class BoundedReader extends BinaryReader {
  #fields = 0;

  /** Counts the field too, which may be one of a group. Throws a RangeError if there are more than 50,000. */
  override tag(): [number, WireType] {
    if (++this.#fields > MAX_FIELDS) throw new RangeError(`the message has more than ${MAX_FIELDS} fields`);
    return super.tag();
  }
}
