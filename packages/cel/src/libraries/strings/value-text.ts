import { formatGoValue } from '@apiserver/apimachinery/json';
import { formatTimestamp } from '../../time/timestamp.js';
import { formatShortest } from '../../values/go-number.js';
import { InvalidValue } from '../../values/invalid-value.js';
import { Double, type Int, Uint } from '../../values/number.js';
import { Duration, ListValue, MapValue, OptionalValue, Timestamp, TypeValue, type Value } from '../../values/value.js';
import { DynList } from '../../views/dyn-view.js';
import { PreservedValue } from '../../views/preserved-value.js';
import { treeWork } from '../tree-cost.js';

/** Work of a list or map from which a message shows none of it. */
const MAX_WORK = 100_000;

/** A value as Go's `%v` prints it, which a message shows. */
export function valueText(value: Value): string {
  return isHolder(value) && treeWork(value) > MAX_WORK ? '…' : textOf(value);
}

/** Work of printing what is compared for one unit. */
const WORK_OF_TEXT = 40;

/** The work of `valueText`. */
export function valueTextWork(value: Value): number {
  if (!isHolder(value)) return 0;
  const work = treeWork(value);
  return work > MAX_WORK ? work : WORK_OF_TEXT * work;
}

function isHolder(value: Value): boolean {
  return [ListValue, MapValue, OptionalValue, PreservedValue].some((holder) => value instanceof holder);
}

function textOf(value: Value): string {
  if (value === null) return '0';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Double) return formatShortest(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  if (value instanceof Duration) return durationText(value.nanoseconds);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return value.type.name;
  // An element that is none of its schema.
  if (value instanceof InvalidValue) return value.error.message;
  return holderText(value) ?? String(value);
}

function holderText(value: Value): string | undefined {
  // Go holds its elements as they are in JSON.
  if (value instanceof DynList) return `[${value.json.map(formatGoValue).join(', ')}]`;
  if (value instanceof ListValue) {
    return `[${Array.from({ length: value.size }, (_, index) => textOf(value.at(index))).join(', ')}]`;
  }
  if (value instanceof MapValue) {
    const entries = [...value.keys()].map((key) => `${textOf(key)}: ${textOf(value.find(key) ?? null)}`);
    return `{${entries.join(', ')}}`;
  }
  if (!(value instanceof OptionalValue)) return undefined;
  return value.value === undefined ? 'optional.none()' : `optional(${textOf(value.value)})`;
}

function timestampText(time: Timestamp): string {
  const text = formatTimestamp(time).replace('T', ' ');
  if (text.endsWith('Z')) return `${text.slice(0, -1)} +0000 UTC`;
  const zone = text.slice(-6).replace(':', '');
  return `${text.slice(0, -6)} ${zone} ${zone}`;
}

const UNITS = [
  { name: 'h', nanoseconds: 3_600_000_000_000n },
  { name: 'm', nanoseconds: 60_000_000_000n },
];

/** Upstream: String of Duration in Go's time */
function durationText(duration: Int): string {
  const nanoseconds = BigInt(duration);
  if (nanoseconds < 0n) return `-${positiveDurationText(-nanoseconds)}`;
  return positiveDurationText(nanoseconds);
}

function positiveDurationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimalText(nanoseconds, 3)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${decimalText(nanoseconds, 6)}ms`;
  let text = '';
  let rest = nanoseconds;
  for (const unit of UNITS) {
    if (rest < unit.nanoseconds && text === '') continue;
    text += `${rest / unit.nanoseconds}${unit.name}`;
    rest %= unit.nanoseconds;
  }
  return `${text}${decimalText(rest, 9)}s`;
}

/** An integer divided by a power of ten. */
function decimalText(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}
