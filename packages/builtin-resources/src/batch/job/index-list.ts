import { quote } from '@apiserver/apimachinery/text';
import { parseInt64 } from '../../text/int64.js';

/** Indexes from the first to the last, inclusive. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** Parses indexes such as "1,3-5" in ascending order, or returns the fault. Upstream: validateIndexesFormat */
export function parseIndexList(text: string, completions: number): readonly IndexInterval[] | string {
  const intervals: IndexInterval[] = [];
  for (const fragment of fragmentsOf(text)) {
    const interval = parseInterval(fragment, completions);
    if (typeof interval === 'string') return interval;
    const previous = intervals.at(-1);
    if (previous !== undefined && previous.last >= interval.first) return outOfOrder(previous.last, interval.first);
    intervals.push(interval);
  }
  return intervals;
}

/** The valid intervals of a list, in their order. */
export function readableIntervals(text: string, completions: number): readonly IndexInterval[] {
  return fragmentsOf(text).flatMap((fragment) => {
    const interval = parseInterval(fragment, completions);
    return typeof interval === 'string' ? [] : [interval];
  });
}

function fragmentsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** Upstream: parseIndexInterval */
function parseInterval(fragment: string, completions: number): IndexInterval | string {
  const limits = fragment.split('-');
  if (limits.length > 2) return tooManyParts(fragment);
  const [first, last] = limits.map((limit) => parseIndex(limit, completions));
  if (first === undefined || typeof first === 'string') return first ?? '';
  if (last === undefined) return { first, last: first };
  if (typeof last === 'string') return last;
  return first >= last ? outOfOrder(first, last) : { first, last };
}

/** Upstream: strconv.Atoi, which accepts a sign and 64 bits. */
function parseIndex(text: string, completions: number): number | string {
  const value = parseInt64(text);
  if (typeof value === 'string') return `cannot convert string to integer for index: ${quote(text)}`;
  const index = Number(value);
  return index >= completions ? `too large index: ${quote(text)}` : index;
}

function tooManyParts(interval: string): string {
  const rule = "the requirement that an index interval can have at most two parts separated by '-'";
  return `the fragment ${quote(interval)} violates ${rule}`;
}

function outOfOrder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

/** The number of indexes in intervals. */
export function countIndexes(intervals: readonly IndexInterval[]): number {
  return intervals.reduce((total, { first, last }) => total + last - first + 1, 0);
}

/** The first index in both lists; undefined if there is none. Upstream: validateFailedIndexesNotOverlapCompleted */
export function firstCommonIndex(a: readonly IndexInterval[], b: readonly IndexInterval[]): number | undefined {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [a[i], b[j]];
    if (one === undefined || other === undefined) break;
    if (one.first <= other.last && other.first <= one.last) return Math.max(one.first, other.first);
    if (one.first <= other.first) i++;
    else j++;
  }
  return undefined;
}
