import { tryParseGroupVersion } from '@apiserver/apimachinery';
import { newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import type { ComesBefore, StoragePolicy } from './storage-policy.js';

/** Keys sorted. */
const sortedOrder: ComesBefore = ({ name }) => name < 'resourceVersion';

/** Custom resources: objects are of the kind and version that they state, and keep fields until they are cut. */
export const structuralStorage: StoragePolicy = {
  atRest: {
    comesBeforeVersion: sortedOrder,
    keptAs: 'json',
    takesCbor: true,
    mayHoldUnknownFields: true,
    hasStructMetadata: false,
    reusesWritten: false,
    cutToHub: (codec, converted) => codec.normalize(converted),
    unknownVersion: (apiVersion) =>
      plainFailure(500, `request to convert CR from an invalid group/version: ${apiVersion}`),
  },
  writes: {
    kindInErrors: ({ apiVersion, kind }, own) => {
      const stated = tryParseGroupVersion(apiVersion);
      return stated === undefined ? own : { group: stated.group, kind };
    },
    requireVersion: ({ apiVersion }) => {
      // A lone slash is an empty version in Go.
      if (apiVersion && apiVersion !== '/') return;
      throw newInternalError(new Error("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
    },
  },
};
