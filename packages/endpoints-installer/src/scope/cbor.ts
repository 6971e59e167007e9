/** Reads and writes CBOR. It is handed over by who serves it: nobody else loads it. Upstream feature gate: CBORServingAndStorage */
export type Cbor = typeof import('@apiserver/apimachinery/codec/cbor');
