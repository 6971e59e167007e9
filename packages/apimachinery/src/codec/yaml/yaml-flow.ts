import { type MappingEvent, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import type { YamlPlaces } from './yaml-places.js';

const BLANK = /(?:\s|#[^\r\n]*)*/y;
const LINE_BREAK = /[\r\n]/;
/** The text up to a key with an indicator, perhaps with a tag and an anchor. */
const EXPLICIT_KEY = /\?\s+(?:[&!]\S*\s+)*["']?$/;
/** Characters before a key that are searched for its indicator. */
const MAX_PROPERTIES = 200;

/**
 * Refuses a plain text in brackets or braces with an indicator that upstream never takes for a part of it: `:` at the
 * start, and `?` anywhere. Returns whether the text begins with the indicator of a key. `close` ends the collection.
 *
 * Upstream: yaml_parser_scan_plain_scalar in go.yaml.in/yaml/v2/scannerc.go
 */
export function checkFlowText(source: string, places: YamlPlaces, event: ScalarEvent, close: string): boolean {
  const { valueStart, valueEnd, tagEnd, style } = event;
  if (tagEnd > 0 && '}],'.includes(source[tagEnd] ?? ' ')) {
    throw places.fault(tagEnd, 'did not find expected whitespace or line break', 'scanner');
  }
  if (style !== SCALAR_STYLE.PLAIN) return false;
  if (valueEnd > valueStart && source[valueStart] === ':') {
    throw places.fault(valueStart, 'did not find expected node content');
  }
  const at = source.slice(valueStart, valueEnd).indexOf('?');
  if (at > 0) throw places.fault(valueStart + at, `did not find expected ',' or '${close}'`);
  return at === 0;
}

/** Refuses a key in braces whose colon upstream does not take for its own: on another line, or before a bracket. */
export function checkFlowKey(source: string, places: YamlPlaces, { start }: MappingEvent, key: ScalarEvent): void {
  const { valueStart, valueEnd, style } = key;
  const close = source[start] === '{' ? '}' : ']';
  checkFlowText(source, places, key, close);
  const isQuoted = style === SCALAR_STYLE.DOUBLE_QUOTED || style === SCALAR_STYLE.SINGLE_QUOTED;
  const end = valueEnd + (isQuoted ? 1 : 0);
  BLANK.lastIndex = end;
  const colon = end + (BLANK.exec(source)?.[0].length ?? 0);
  if (source[colon] !== ':') return;
  const isText = style === SCALAR_STYLE.PLAIN && /[[{]/.test(source[colon + 1] ?? '');
  const isLate = LINE_BREAK.test(source.slice(valueStart, colon));
  const before = isLate ? source.slice(Math.max(start, valueStart - MAX_PROPERTIES), valueStart) : '';
  if (isText || (isLate && !EXPLICIT_KEY.test(before))) {
    throw places.fault(colon, `did not find expected ',' or '${close}'`);
  }
}

/** A key without the indicator that our parser takes for a part of it. */
export function withoutIndicator(source: string, event: ScalarEvent): ScalarEvent {
  if (event.style !== SCALAR_STYLE.PLAIN || source[event.valueStart] !== '?') return event;
  const isQuoted = /^["'].*["']$/s.test(source.slice(event.valueStart + 1, event.valueEnd));
  if (!isQuoted) return { ...event, valueStart: event.valueStart + 1 };
  const isDouble = source[event.valueStart + 1] === '"';
  return {
    ...event,
    style: isDouble ? SCALAR_STYLE.DOUBLE_QUOTED : SCALAR_STYLE.SINGLE_QUOTED,
    fast: false,
    valueStart: event.valueStart + 2,
    valueEnd: event.valueEnd - 1,
  };
}
