import type { ComesBefore, StoragePolicy } from './storage-policy.js';

const BEFORE_IN_STRUCT: readonly string[] = ['name', 'namespace', 'uid', 'generateName', 'selfLink'];

/** Fields in the order of upstream's ObjectMeta. */
const structOrder: ComesBefore = (member) => {
  for (const name of BEFORE_IN_STRUCT) if (member.isNamed(name)) return true;
  return false;
};

/** Built-in kinds: encoding writes nothing that the schema does not have. */
export const typedStorage: StoragePolicy = {
  atRest: {
    comesBeforeVersion: structOrder,
    keptAs: 'protobuf',
    takesCbor: false,
    mayHoldUnknownFields: false,
    hasStructMetadata: true,
    reusesWritten: true,
    cutToHub: (_codec, converted) => converted,
    unknownVersion: (apiVersion) => new TypeError(`the stored bytes are of no known version (${apiVersion})`),
  },
  writes: {
    kindInErrors: (_object, own) => own,
    requireVersion: () => {},
  },
};
