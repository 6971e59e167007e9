/** 64 bits as two unsigned halves of 32. */
export interface Halves {
  readonly high: number;
  readonly low: number;
}

/** The prime is 2^40 + this. */
const PRIME_LOW = 0x1b3;
const TWO_32 = 2 ** 32;

/** The 64-bit FNV-1a hash of a text in UTF-8. Upstream: k8s.io/apimachinery/pkg/sharding/hash.go */
export function hashField(text: string): Halves {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME_LOW;
    high = (high * PRIME_LOW + Math.floor(product / TWO_32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return { high, low };
}

/** Negative if `a` is less than `b`. */
export function compareHalves(a: Halves, b: Halves): number {
  return a.high - b.high || a.low - b.low;
}
