import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import type { YamlPlaces } from './yaml-places.js';

const LINE_BREAK = /[\r\n]/;
/** Blanks behind the indicator of an item, which end where its node begins. */
const AFTER_DASH = /-([ \t]*)$/;
/** Characters before a node that are searched for the indicator of its item. */
const MAX_BLANKS = 200;

/** Refuses a tab between the indicator of an item and its node: upstream expects a token there. */
export function checkBlockItem(source: string, places: YamlPlaces, node: Event, first: Event | undefined): void {
  const start = startOf(node.type === EVENT_ID.MAPPING && first !== undefined ? first : node);
  if (start === undefined) return;
  const from = Math.max(0, start - MAX_BLANKS);
  const [, blanks = ''] = AFTER_DASH.exec(source.slice(from, start)) ?? [];
  const tab = blanks.indexOf('\t');
  if (tab === -1) return;
  throw places.fault(start - blanks.length + tab, 'found character that cannot start any token', 'scanner');
}

/** A key and its value in a block, and the event behind that of the value. */
interface BlockMember {
  readonly key: Event;
  readonly value: Event;
  readonly first: Event | undefined;
}

/**
 * Refuses a mapping in the line of the key whose value it is. Our parser takes one behind a tag or an anchor. `first` is
 * its first key.
 */
export function checkBlockValue(source: string, places: YamlPlaces, { key, value, first }: BlockMember): void {
  if (value.type !== EVENT_ID.MAPPING || value.style === COLLECTION_STYLE.FLOW) return;
  if (key.type !== EVENT_ID.SCALAR || key.valueEnd < 0 || first?.type !== EVENT_ID.SCALAR || first.valueStart < 0)
    return;
  if (LINE_BREAK.test(source.slice(key.valueEnd, first.valueStart))) return;
  throw places.fault(first.valueEnd, 'mapping values are not allowed in this context', 'scanner');
}

/** Refuses what stands behind a quoted text in its line, if it is neither the colon of a key nor a comment. */
export function checkQuotedEnd(source: string, places: YamlPlaces, { style, valueEnd }: ScalarEvent): void {
  if (style !== SCALAR_STYLE.DOUBLE_QUOTED && style !== SCALAR_STYLE.SINGLE_QUOTED) return;
  const end = valueEnd + 1;
  NEXT.lastIndex = end;
  if (NEXT.test(source)) throw places.fault(end, 'did not find expected key');
}

/** A character of another token. */
const NEXT = /[ \t]*[^\s#:]/y;

function startOf(event: Event): number | undefined {
  if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return undefined;
  const own =
    event.type === EVENT_ID.SCALAR ? event.valueStart : event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
  const starts = event.type === EVENT_ID.ALIAS ? [own] : [own, event.tagStart, event.anchorStart];
  const found = starts.filter((one) => one >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}
