import { WireType } from '@bufbuild/protobuf/wire';
import { expect, it } from 'vitest';
import { BoundedReader } from './bounded-reader.js';

/** Two nested groups of field 9, with so many empty fields inside. */
function groups(fields: number): Uint8Array {
  return Uint8Array.from([0x4b, 0x4b, ...new Array(fields).fill([0x08, 0]).flat(), 0x4c, 0x4c]);
}

it.each([
  [49_996, 'reads'],
  [49_997, 'the message has more than 50000 fields'],
])('counts the fields of groups: %i', (fields, outcome) => {
  const reader = new BoundedReader(groups(fields));
  const read = () => {
    const [field, wireType] = reader.tag();
    expect([field, wireType]).toEqual([9, WireType.StartGroup]);
    reader.skip(wireType, field);
    return 'reads';
  };
  if (outcome === 'reads') expect(read()).toBe(outcome);
  else expect(read).toThrow(outcome);
});
