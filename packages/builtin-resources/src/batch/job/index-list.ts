import { quote } from '@apiserver/apimachinery';

/** Indexes from the first to the last, both included. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** The indexes that a text like "1,3-5" names, in ascending order, or what is wrong with it. Upstream: parseIndexes */
export function parseIndexList(text: string, completions: number): readonly IndexInterval[] | string {
  if (text === '') return [];
  const intervals: IndexInterval[] = [];
  let previous: number | undefined;
  for (const interval of text.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2) return tooManyParts(interval);
    const numbers: number[] = [];
    for (const limit of limits) {
      if (!/^[+-]?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`;
      const index = Number(limit);
      if (index >= completions) return `too large index: ${quote(limit)}`;
      if (previous !== undefined && previous >= index) return outOfOrder(previous, index);
      previous = index;
      numbers.push(index);
    }
    const [first = 0, last = first] = numbers;
    intervals.push({ first, last });
  }
  return intervals;
}

function tooManyParts(interval: string): string {
  const rule = "the requirement that an index interval can have at most two parts separated by '-'";
  return `the fragment ${quote(interval)} violates ${rule}`;
}

function outOfOrder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

/** How many indexes there are in intervals. */
export function countIndexes(intervals: readonly IndexInterval[]): number {
  return intervals.reduce((total, { first, last }) => total + last - first + 1, 0);
}

/** The lowest index that is in both lists, which ascend; undefined when there is none. */
export function firstCommonIndex(a: readonly IndexInterval[], b: readonly IndexInterval[]): number | undefined {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [a[i], b[j]];
    if (one === undefined || other === undefined) break;
    if (one.last < other.first) i++;
    else if (other.last < one.first) j++;
    else return Math.max(one.first, other.first);
  }
  return undefined;
}
