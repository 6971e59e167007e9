import { TimeSlice } from '@apiserver/apimachinery/clock';
import { parseJsonText } from '@apiserver/apimachinery/codec/json';
import { type MemberRange, memberRanges } from './member-ranges.js';

/** Characters that are parsed in one turn. To look for members first takes longer than to parse them. */
const MAX_AT_ONCE = 4 * 1024 * 1024;

/** The value of a JSON text that this server has written. Of a long one, each member is parsed by itself. */
export function parsedDocument(text: string): Promise<unknown> {
  return parsedRange(text, { start: 0, end: text.length }, new TimeSlice());
}

async function parsedRange(text: string, range: Omit<MemberRange, 'name'>, slice: TimeSlice): Promise<unknown> {
  const { start, end } = range;
  if (slice.over) await slice.yield();
  if (end - start <= MAX_AT_ONCE || text[start] !== '{') return parseJsonText(text.slice(start, end));
  const members: [string, unknown][] = [];
  for (const member of await memberRanges(text, slice, range, Number.POSITIVE_INFINITY)) {
    members.push([member.name, await parsedRange(text, member, slice)]);
  }
  return Object.fromEntries(members);
}
