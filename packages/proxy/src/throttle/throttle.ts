import type { Buffer } from 'node:buffer';
import { pipeline, type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';

/** Milliseconds of a sample. Upstream: Monitor of github.com/mxk/go-flowrate */
const SAMPLE_MS = 100;

/**
 * Passes bytes on at a limited rate. A sample of 100 ms passes its share of the rate, and at least one byte. Holds one
 * chunk, and reads no further chunk before it has passed.
 * Upstream: Monitor.Limit of github.com/mxk/go-flowrate
 */
export class Throttle extends Transform {
  readonly #share: number;
  #sampleStart = performance.now();
  #passed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytesPerSec: number) {
    super();
    this.#share = Math.max(1, Math.round((maxBytesPerSec * SAMPLE_MS) / 1_000));
  }

  override _transform(chunk: Buffer, encoding: BufferEncoding, callback: TransformCallback): void {
    const now = performance.now();
    if (now - this.#sampleStart >= SAMPLE_MS) {
      this.#sampleStart = now;
      this.#passed = 0;
    }
    const size = Math.min(this.#share - this.#passed, chunk.length);
    this.#passed += size;
    if (size > 0) this.push(chunk.subarray(0, size));
    if (size === chunk.length) {
      callback();
      return;
    }
    const remaining = Math.max(1, Math.ceil(this.#sampleStart + SAMPLE_MS - now));
    this.#timer = setTimeout(() => this._transform(chunk.subarray(size), encoding, callback), remaining);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    callback(error);
  }
}

/** The bytes of `from` at a limited rate. 0: `from` itself. Destroying one destroys the other. */
export function throttledFrom<T extends Readable>(from: T, maxBytesPerSec: number): T | Throttle {
  if (maxBytesPerSec <= 0) return from;
  const throttle = new Throttle(maxBytesPerSec);
  // The throttle fails with `from`, so that its reader learns of it.
  pipeline(from, throttle, () => {});
  return throttle;
}

/** Writes to `into` at a limited rate. 0: `into` itself. Ending or destroying one ends or destroys the other. */
export function throttledInto<T extends Writable>(into: T, maxBytesPerSec: number): T | Throttle {
  if (maxBytesPerSec <= 0) return into;
  // A failure of `into` destroys the throttle; its user learns of it by the property `writable` and the event 'close'.
  const throttle = new Throttle(maxBytesPerSec).on('error', () => {});
  pipeline(throttle, into, () => {});
  return throttle;
}
