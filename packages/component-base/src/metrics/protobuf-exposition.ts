import { encodeWith } from '@apiserver/apimachinery/codec/protobuf';
import type { GatheredFamily, GatheredMetric, GatheredSample } from './gather-families.js';
import type { BucketSpans, NativeHistogram } from './native-buckets.js';

type Writer = Parameters<Parameters<typeof encodeWith>[0]>[0];

/** Numbers of io.prometheus.client.MetricType. */
const TYPE_NUMBERS: Readonly<Record<GatheredFamily['type'], number>> = {
  counter: 0,
  gauge: 1,
  summary: 2,
  histogram: 4,
};

/** The fields of io.prometheus.client.Metric that have the values of a type. */
const VALUE_FIELDS: Readonly<Record<GatheredFamily['type'], number>> = {
  gauge: 2,
  counter: 3,
  summary: 4,
  histogram: 7,
};

/** Wire types of protobuf. */
const VARINT = 0;
const DOUBLE = 1;
const BYTES = 2;

/**
 * Families as messages of io.prometheus.client.MetricFamily, each behind its length. They have no times of creation.
 *
 * Upstream: FmtProtoDelim in github.com/prometheus/common/expfmt
 */
export function protobufExposition(families: readonly GatheredFamily[]): Uint8Array {
  return encodeWith((writer) => {
    for (const family of families) {
      writer.fork();
      writeFamily(writer, family);
      writer.join();
    }
  });
}

function writeFamily(writer: Writer, { name, help, type, metrics }: GatheredFamily): void {
  writer.tag(1, BYTES).string(name).tag(2, BYTES).string(help).tag(3, VARINT).uint32(TYPE_NUMBERS[type]);
  for (const metric of metrics) message(writer, 4, () => writeMetric(writer, type, metric));
}

function writeMetric(writer: Writer, type: GatheredFamily['type'], { labels, samples }: GatheredMetric): void {
  for (const { name, value } of labels) {
    message(writer, 1, () => void writer.tag(1, BYTES).string(name).tag(2, BYTES).string(value));
  }
  message(writer, VALUE_FIELDS[type], () => writeValue(writer, samples));
}

function writeValue(writer: Writer, samples: readonly GatheredSample[]): void {
  const sampleValue = (suffix: string) => samples.find((sample) => sample.suffix === suffix)?.value ?? 0;
  const isBucket = (sample: GatheredSample) => sample.bound !== undefined && sample.bound !== Infinity;
  if (samples[0]?.suffix === '' && samples[0].bound === undefined) {
    writer.tag(1, DOUBLE).double(samples[0].value);
    return;
  }
  writer.tag(1, VARINT).uint64(sampleValue('_count')).tag(2, DOUBLE).double(sampleValue('_sum'));
  for (const sample of samples.filter(isBucket)) message(writer, 3, () => writeBound(writer, sample));
  for (const { native } of samples) if (native !== undefined) writeNative(writer, native);
}

/** The native fields of io.prometheus.client.Histogram. */
function writeNative(writer: Writer, { schema, zeroThreshold, zeroCount, negative, positive }: NativeHistogram): void {
  writer.tag(5, VARINT).sint32(schema).tag(6, DOUBLE).double(zeroThreshold).tag(7, VARINT).uint64(zeroCount);
  writeSpans(writer, 9, negative);
  writeSpans(writer, 12, positive);
}

/** The spans have one field, and the differences the next. */
function writeSpans(writer: Writer, field: number, { spans, deltas }: BucketSpans): void {
  for (const { offset, length } of spans) {
    message(writer, field, () => void writer.tag(1, VARINT).sint32(offset).tag(2, VARINT).uint32(length));
  }
  for (const delta of deltas) writer.tag(field + 1, VARINT).sint64(delta);
}

/** A bucket or a quantile. */
function writeBound(writer: Writer, { suffix, bound = 0, value }: GatheredSample): void {
  if (suffix === '_bucket') writer.tag(1, VARINT).uint64(value).tag(2, DOUBLE).double(bound);
  else writer.tag(1, DOUBLE).double(bound).tag(2, DOUBLE).double(value);
}

function message(writer: Writer, field: number, write: () => void): void {
  writer.tag(field, BYTES).fork();
  write();
  writer.join();
}
