export {
  cborManagedFields,
  cborTypeMeta,
  decodeCbor,
  decodeCborMap,
  decodeCborSteps,
  decodeCborValue,
} from './decode-cbor.js';
export { diagnoseCbor } from './diagnose.js';
export {
  cborListEnds,
  encodeCbor,
  encodeCborItem,
  encodeCborValue,
  isCborObject,
  SELF_DESCRIBED_CBOR,
} from './encode-cbor.js';
