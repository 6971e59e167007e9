import { stringifyJsonSteps } from '@apiserver/apimachinery/codec/json';

/** The codec of CBOR, passed in by its users: others do not load it. */
export type Cbor = typeof import('@apiserver/apimachinery/codec/cbor');

/** The JSON of an object in CBOR, in steps of a few milliseconds. */
export function* jsonOfCborSteps(cbor: Cbor, stored: Uint8Array): Generator<void, Uint8Array> {
  const map = yield* cbor.decodeCborMapSteps(stored);
  yield;
  return Buffer.from(yield* stringifyJsonSteps(map), 'utf8');
}
