/** Buckets of one sign, as Prometheus sends them: runs of neighbours, and differences between their counts. */
export interface BucketSpans {
  readonly spans: readonly { readonly offset: number; readonly length: number }[];
  readonly deltas: readonly number[];
}

/** The values of a native histogram. */
export interface NativeHistogram {
  readonly schema: number;
  readonly zeroThreshold: number;
  readonly zeroCount: number;
  readonly negative: BucketSpans;
  readonly positive: BucketSpans;
}

/**
 * Eight buckets for each power of two: the next one is at most 10 % wider. Upstream: pickSchema for BucketFactor 1.1
 */
const FIRST_SCHEMA = 3;
const LAST_SCHEMA = -4;
/** Upstream: MaxBucketNumber of k8s.io/component-base/metrics/internal */
const MAX_BUCKETS = 160;
/** Upstream: DefNativeHistogramZeroThreshold */
const ZERO_THRESHOLD = 2 ** -128;
/** Upper bounds of the buckets between 0.5 and 1, by schema. Upstream: nativeHistogramBounds */
const BOUNDS: readonly (readonly number[])[] = [
  [0.5],
  [0.5, 0.7071067811865475],
  [0.5, 0.5946035575013605, 0.7071067811865475, 0.8408964152537144],
  [
    ...[0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048],
    ...[0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711],
  ],
];
/** Gaps of at most as many empty buckets stay within a span. */
const SMALL_GAP = 2;

/**
 * The buckets of a native histogram, whose width grows with their distance from zero. If they become too many,
 * neighbours are merged.
 * Upstream: histogram of github.com/prometheus/client_golang
 */
export class NativeBuckets {
  #schema = FIRST_SCHEMA;
  #zeroCount = 0;
  #negative = new Map<number, number>();
  #positive = new Map<number, number>();

  /** NaN belongs to no bucket. */
  observe(value: number, times: number): void {
    if (Number.isNaN(value)) return;
    if (value > ZERO_THRESHOLD) add(this.#positive, keyOf(value, this.#schema), times);
    else if (value < -ZERO_THRESHOLD) add(this.#negative, keyOf(-value, this.#schema), times);
    else this.#zeroCount += times;
    if (this.#positive.size + this.#negative.size > MAX_BUCKETS) this.#widen();
  }

  clear(): void {
    this.#schema = FIRST_SCHEMA;
    this.#zeroCount = 0;
    this.#negative.clear();
    this.#positive.clear();
  }

  read(): NativeHistogram {
    return {
      schema: this.#schema,
      zeroThreshold: ZERO_THRESHOLD,
      zeroCount: this.#zeroCount,
      negative: spansOf(this.#negative),
      positive: spansOf(this.#positive),
    };
  }

  #widen(): void {
    if (this.#schema === LAST_SCHEMA) return;
    this.#schema--;
    this.#negative = merged(this.#negative);
    this.#positive = merged(this.#positive);
  }
}

function add(buckets: Map<number, number>, key: number, times: number): void {
  buckets.set(key, (buckets.get(key) ?? 0) + times);
}

/** The number of the bucket of a positive value. */
function keyOf(value: number, schema: number): number {
  const isInfinite = value === Infinity;
  const { fraction, exponent } = parts(isInfinite ? Number.MAX_VALUE : value);
  const above = isInfinite ? 1 : 0;
  const bounds = schema > 0 ? BOUNDS[schema] : undefined;
  if (bounds !== undefined) {
    const index = bounds.findIndex((bound) => fraction <= bound);
    return (index < 0 ? bounds.length : index) + (exponent - 1) * bounds.length + above;
  }
  const key = fraction === 0.5 ? exponent - 1 : exponent;
  return ((key + (1 << -schema) - 1) >> -schema) + above;
}

const VIEW = new DataView(new ArrayBuffer(8));

/** A positive number as a fraction from 0.5 to below 1, and a power of two. Go: math.Frexp */
function parts(value: number): { readonly fraction: number; readonly exponent: number } {
  const isSubnormal = value < 2 ** -1022;
  VIEW.setFloat64(0, isSubnormal ? value * 2 ** 52 : value);
  const high = VIEW.getUint32(0);
  const exponent = (high >>> 20) - 1022 - (isSubnormal ? 52 : 0);
  VIEW.setUint32(0, (high & 0x000f_ffff) | 0x3fe0_0000);
  return { fraction: VIEW.getFloat64(0), exponent };
}

/** Buckets of twice the width. */
function merged(buckets: ReadonlyMap<number, number>): Map<number, number> {
  const wider = new Map<number, number>();
  for (const [key, count] of buckets) add(wider, Math.trunc((key > 0 ? key + 1 : key) / 2), count);
  return wider;
}

/** Upstream: makeBuckets */
function spansOf(buckets: ReadonlyMap<number, number>): BucketSpans {
  const spans: { offset: number; length: number }[] = [];
  const deltas: number[] = [];
  let before = 0;
  let next = 0;
  const append = (span: { length: number }, count: number) => {
    span.length++;
    deltas.push(count - before);
    before = count;
  };
  for (const key of [...buckets.keys()].sort((a, b) => a - b)) {
    const gap = key - next;
    let span = spans.at(-1);
    if (span === undefined || gap > SMALL_GAP) {
      span = { offset: gap, length: 0 };
      spans.push(span);
    } else {
      for (let empty = 0; empty < gap; empty++) append(span, 0);
    }
    append(span, buckets.get(key) ?? 0);
    next = key + 1;
  }
  return { spans, deltas };
}
