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
  cborItemOfJson,
  cborListEnds,
  cborOfJson,
  encodeCbor,
  encodeCborItemSteps,
  encodeCborSteps,
  encodeCborValue,
  encodeCborValueSteps,
  isCborObject,
  SELF_DESCRIBED_CBOR,
} from './encode-cbor.js';
