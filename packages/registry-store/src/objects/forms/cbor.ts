/** The codec of CBOR, passed in by its users: others do not load it. */
export type Cbor = typeof import('@apiserver/apimachinery/codec/cbor');
