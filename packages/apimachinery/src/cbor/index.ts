export { cborTypeMeta, decodeCbor, decodeCborMap, decodeCborValue } from './decode-cbor.js';
export { diagnoseCbor } from './diagnose.js';
export { encodeCbor, encodeCborItem, encodeCborValue, isCborObject, SELF_DESCRIBED_CBOR } from './encode-cbor.js';
