export {
  cborManagedFields,
  cborTypeMeta,
  decodeCbor,
  decodeCborMap,
  decodeCborMapSteps,
  decodeCborSteps,
  decodeCborValue,
} from './decode-cbor.js';
export { diagnoseCbor } from './diagnose.js';
export {
  cborListEnds,
  encodeCbor,
  encodeCborItemSteps,
  encodeCborSteps,
  encodeCborValue,
  encodeCborValueSteps,
  isCborObject,
  SELF_DESCRIBED_CBOR,
} from './encode-cbor.js';
