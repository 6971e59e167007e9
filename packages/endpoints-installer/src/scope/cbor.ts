/**
 * Reads and writes CBOR. Passed in if it is served: otherwise it is not loaded. Upstream feature gate:
 * CBORServingAndStorage
 */
export type Cbor = typeof import('@apiserver/apimachinery/codec/cbor');
