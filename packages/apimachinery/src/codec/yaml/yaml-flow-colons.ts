import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** A colon that ends no key in brackets. */
const COLON_BEFORE_END = /:[,\]}]/;
/** The same behind a text. */
const REST_OF_TEXT = /[ \t]*:(?=[,\]}])/y;

/**
 * The events of a text in which a colon before a comma or a closing bracket is a part of the plain text before it:
 * upstream takes `[a:]` for a list of one text. Our parser takes the text for a key without a value.
 *
 * Upstream: yaml_parser_scan_plain_scalar of go.yaml.in/yaml/v2/scannerc.go
 */
export function withColonsInTexts(source: string, events: readonly Event[]): readonly Event[] {
  if (!COLON_BEFORE_END.test(source)) return events;
  const out: Event[] = [];
  const flows: boolean[] = [];
  let next = 0;
  for (const [at, event] of events.entries()) {
    if (at < next) continue;
    const pair = event.type === EVENT_ID.MAPPING && isFlow(event) && isLonePair(source, event.start);
    const key = pair ? events[at + 1] : event;
    const text = (pair || flows.at(-1) === true) && key?.type === EVENT_ID.SCALAR ? withColon(source, key) : undefined;
    out.push(text ?? event);
    // The key, its empty value and the end of the pair.
    if (text !== undefined && pair) next = at + 4;
    else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) flows.push(isFlow(event));
    else if (event.type === EVENT_ID.POP) flows.pop();
  }
  return out;
}

/** Reports whether a mapping has neither braces nor the indicator of a key. */
function isLonePair(source: string, start: number): boolean {
  return source[start] !== '{' && !KEY_INDICATOR.test(source.slice(Math.max(0, start - MAX_BLANKS), start));
}

const KEY_INDICATOR = /\?\s+$/;
/** Characters before a key that are searched for its indicator. */
const MAX_BLANKS = 200;

function isFlow({ style }: { readonly style: number }): boolean {
  return style === COLLECTION_STYLE.FLOW;
}

/** The plain text with its colon; undefined if it has none. */
function withColon(source: string, text: ScalarEvent): ScalarEvent | undefined {
  const { style, valueStart, valueEnd } = text;
  if (style !== SCALAR_STYLE.PLAIN || valueEnd <= valueStart) return undefined;
  REST_OF_TEXT.lastIndex = valueEnd;
  return REST_OF_TEXT.test(source) ? { ...text, valueEnd: REST_OF_TEXT.lastIndex } : undefined;
}
