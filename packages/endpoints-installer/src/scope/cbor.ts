/**
 * Reads and writes CBOR. It is passed in, because a server without CBOR does not load it. Upstream feature gate:
 * CBORServingAndStorage
 */
export type Cbor = typeof import('@apiserver/apimachinery/codec/cbor');
