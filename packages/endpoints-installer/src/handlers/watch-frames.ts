import type { Status } from '@apiserver/apimachinery';
import type { WatchEvent } from '@apiserver/apiserver-contracts';
import { inTurns, LARGE, nextTurn } from '../body/event-loop-turns.js';
import {
  builtInMediaTypes,
  isStreamable,
  type MediaType,
  watchContentType,
  withCbor,
} from '../negotiation/media-types.js';
import { encodeStatus } from '../responses/encode-status.js';
import type { Cbor } from '../scope/cbor.js';
import { fieldHead, lengthDelimited } from '../views/protobuf-envelope.js';
import type { ResponseView } from '../views/response-view.js';

/**
 * Encodes the events of one watch. An event's frame is made once per form and kept with the event, so that a thousand
 * watchers write the same bytes.
 */
export class WatchFrames {
  /** Size of the length that precedes each event. */
  readonly lengthBytes: number;
  /** True if frames are text. */
  readonly isText: boolean;
  readonly #mediaType: MediaType;
  #view: ResponseView;
  #key: string | undefined;
  readonly #cbor: Cbor | undefined;

  constructor(view: ResponseView, mediaType: MediaType, cbor?: Cbor) {
    this.lengthBytes = mediaType === 'application/vnd.kubernetes.protobuf' ? LENGTH_BYTES : 0;
    this.isText = mediaType === 'application/json';
    this.#cbor = cbor;
    this.#mediaType = mediaType;
    this.#view = view;
    this.#key = view.frameKey(mediaType);
  }

  /** Decodes and encodes a large object in several turns, before `frame`. Undefined: nothing to await. */
  prepare({ type, object, frames }: WatchEvent): Promise<unknown> | undefined {
    const key = this.#key;
    if (object.load === undefined || (key !== undefined && frames.has(key))) return undefined;
    const decoding = this.#view.prepare(object, this.#mediaType);
    const isLarge = object.byteLength !== undefined && object.byteLength > LARGE;
    if (key === undefined || !isLarge || this.#mediaType !== 'application/cbor') return decoding;
    return preparedOnce(frames, key, async () => {
      await decoding;
      const steps = this.#view.encodeSteps?.(object, this.#mediaType);
      if (steps === undefined) return;
      frames.set(key, encodeFrame(type, await inTurns(steps, nextTurn), this.#mediaType));
    });
  }

  /** The frame of the next event. Call it in the order in which the client gets the frames. */
  frame(event: WatchEvent): Uint8Array {
    if (this.#key === undefined) return this.#encode(event);
    let frame = event.frames.get(this.#key);
    if (frame === undefined) {
      frame = this.#encode(event);
      event.frames.set(this.#key, frame);
    }
    return frame;
  }

  /** The frame with the reason for the end of the watch. */
  errorFrame(status: Status): Uint8Array {
    return errorFrame(status, this.#mediaType, this.#cbor);
  }

  #encode(event: WatchEvent): Uint8Array {
    const frame = encodeFrame(event.type, this.#view.encode(event.object, this.#mediaType), this.#mediaType);
    const { afterFirst } = this.#view;
    if (afterFirst !== undefined) {
      this.#view = afterFirst;
      this.#key = afterFirst.frameKey(this.#mediaType);
    }
    return frame;
  }
}

function errorFrame(status: Status, mediaType: MediaType, cbor?: Cbor): Uint8Array {
  return encodeFrame('ERROR', encodeStatus(status, mediaType, cbor), mediaType);
}

/** The frame with the reason for the end of a watch whose response has this Content-Type. */
export function watchErrorFrame(status: Status, contentType: string, cbor?: Cbor): Uint8Array {
  const streamable = withCbor(builtInMediaTypes, cbor).filter(isStreamable);
  return errorFrame(
    status,
    streamable.find((type) => watchContentType(type) === contentType) ?? 'application/json',
    cbor,
  );
}

type Frames = WatchEvent['frames'];

/** Frames under construction, by event and form, so that a thousand watchers wait for the same one. */
const underWay = new WeakMap<Frames, Map<string, Promise<void>>>();

function preparedOnce(frames: Frames, key: string, make: () => Promise<void>): Promise<void> {
  const ofEvent = underWay.get(frames) ?? new Map<string, Promise<void>>();
  underWay.set(frames, ofEvent);
  const making = ofEvent.get(key) ?? make();
  ofEvent.set(key, making);
  return making;
}

/** JSON and CBOR need no length: an event ends with its line or its last item. */
const LENGTH_BYTES = 4;

/**
 * Encodes one event of a watch: a line of JSON, a map in CBOR, or a length of four bytes and a protobuf WatchEvent {
 * type = 1, object = 2 { raw = 1 } }.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/json (jsonFrameWriter), k8s.io/apimachinery/pkg/util/framer
 */
function encodeFrame(type: string, object: Uint8Array, mediaType: MediaType): Uint8Array {
  if (mediaType === 'application/cbor') return cborFrame(type, object);
  return mediaType === 'application/json' ? jsonFrame(type, object) : protobufFrame(type, object);
}

function jsonFrame(type: string, object: Uint8Array): Uint8Array {
  const head = `{"type":"${type}","object":`;
  // From the pool: frames of a time go together, and memory of its own costs a small one half a microsecond.
  const frame = Buffer.allocUnsafe(head.length + object.length + 2);
  frame.write(head, 0, 'latin1');
  frame.set(object, head.length);
  frame.write('}\n', head.length + object.length, 'latin1');
  return frame;
}

/** The tag of CBOR, then a map with two byte strings as keys: for the type, and for the object with its own tag. */
function cborFrame(type: string, object: Uint8Array): Uint8Array {
  const head = `\xd9\xd9\xf7\xa2\x44type${String.fromCharCode(0x40 + type.length)}${type}\x46object`;
  return Buffer.concat([Buffer.from(head, 'latin1'), object]);
}

function protobufFrame(type: string, object: Uint8Array): Uint8Array {
  const rawHead = fieldHead(1, object.length);
  const objectHead = fieldHead(2, rawHead.length + object.length);
  const typeField = lengthDelimited(1, Buffer.from(type));
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeUInt32BE(typeField.length + objectHead.length + rawHead.length + object.length);
  return Buffer.concat([length, typeField, objectHead, rawHead, object]);
}
