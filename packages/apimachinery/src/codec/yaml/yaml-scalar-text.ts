import { getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** An escape, or an escaped line break with the empty lines behind it and the blanks of the next one. */
const ESCAPE = /\\(?:(?:\r\n|\r(?!\n)|\n)((?:[ \t]*(?:\r\n?|\n))+)[ \t]*|.)/gs;
const BREAK_BEFORE_EMPTY_LINE = /\\(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]/;
const BREAK = /\r\n?|\n/g;

/** Line breaks that our parser reads as any other character. */
const SEPARATOR = /[\u2028\u2029]/;
/** Line breaks in a row, with the blanks behind them. */
const BREAKS = /(?:[\r\n\u0085\u2028\u2029][ \t]*)+/g;

/**
 * The text of a scalar as upstream reads it. Our parser ends a block with a line break even where the document lacks
 * it, and drops empty lines behind an escaped line break. It does not know the separators of lines and paragraphs.
 *
 * Upstream: yaml_parser_scan_block_scalar and yaml_parser_scan_flow_scalar of go.yaml.in/yaml/v2/scannerc.go
 */
export function scalarText(source: string, event: ScalarEvent): string {
  const { style, valueStart, valueEnd } = event;
  switch (style) {
    case SCALAR_STYLE.PLAIN:
    case SCALAR_STYLE.SINGLE_QUOTED: {
      const text = getScalarValue(source, event);
      if (!SEPARATOR.test(text)) return text;
      const whole = withoutFolds(source.slice(valueStart, valueEnd));
      return style === SCALAR_STYLE.PLAIN ? whole : whole.replaceAll("''", "'");
    }
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return event.fast ? getScalarValue(source, event) : quotedText(source.slice(valueStart, valueEnd), event);
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK: {
      const read = getScalarValue(source, event);
      const text = SEPARATOR.test(read) ? withoutIndents(read, event.indent) : read;
      const isUnended = valueEnd === source.length && !/[\r\n]/.test(source[valueEnd - 1] ?? '\n');
      return isUnended && text.endsWith('\n') ? text.slice(0, -1) : text;
    }
    default:
      return getScalarValue(source, event);
  }
}

function quotedText(written: string, event: ScalarEvent): string {
  const text = BREAK_BEFORE_EMPTY_LINE.test(written)
    ? written.replace(ESCAPE, (one, lines?: string) =>
        lines === undefined ? one : '\\n'.repeat(lines.match(BREAK)?.length ?? 0),
      )
    : written;
  return getScalarValue(text, { ...event, valueStart: 0, valueEnd: text.length });
}

/**
 * The lines of a plain or single-quoted text as one: a lone line feed becomes a blank, other breaks stay, and the blanks
 * around them go.
 * Upstream: yaml_parser_scan_plain_scalar
 */
function withoutFolds(written: string): string {
  let text = '';
  let end = 0;
  for (const { 0: breaks, index } of written.matchAll(BREAKS)) {
    text += withoutBlanksAtEnd(written.slice(end, index)) + folded(breaks);
    end = index + breaks.length;
  }
  return text + written.slice(end);
}

function withoutBlanksAtEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end--;
  return line.slice(0, end);
}

function folded(breaks: string): string {
  const text = breaks.replace(/[ \t]+/g, '').replace(/\r\n|[\r\u0085]/g, '\n');
  if (!text.startsWith('\n')) return text;
  return text.length === 1 ? ' ' : text.slice(1);
}

/** Removes the indentation of a block behind a separator of lines, as behind a line feed. */
function withoutIndents(text: string, indent: number): string {
  return text.replace(new RegExp(`([\\u2028\\u2029]) {0,${indent}}`, 'g'), '$1');
}
