import { type Status as StatusObject, Status as statusKind } from '@apiserver/api/meta/v1';
import type { Status } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { encodeYamlSteps } from '@apiserver/apimachinery/codec/yaml';
import type { MediaType } from '../negotiation/media-types.js';
import type { Cbor } from '../scope/cbor.js';
import { encoderOf } from '../scope/object-form.js';

let codec: KindCodec<StatusObject> | undefined;

/** Encodes a Status. JSON has no trailing newline. */
export function encodeStatus(status: Status, mediaType: MediaType, cbor?: Cbor): Uint8Array {
  codec ??= compileKind(statusKind);
  return encoderOf(codec, mediaType, cbor)(status);
}

/** A Status in YAML, in steps, for long messages. */
export function* encodeStatusYamlSteps(status: Status): Generator<void, Uint8Array> {
  codec ??= compileKind(statusKind);
  return yield* encodeYamlSteps(codec.normalize(status));
}
