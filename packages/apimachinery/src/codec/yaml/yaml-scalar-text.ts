import { getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** An escape, or an escaped line break with the empty lines behind it and the blanks of the next one. */
const ESCAPE = /\\(?:(?:\r\n|\r(?!\n)|\n)((?:[ \t]*(?:\r\n?|\n))+)[ \t]*|.)/gs;
const BREAK_BEFORE_EMPTY_LINE = /\\(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]/;
const BREAK = /\r\n?|\n/g;

/**
 * The text of a scalar as upstream reads it. Our parser ends a block with a line break even where the document lacks
 * it, and drops empty lines behind an escaped line break.
 *
 * Upstream: yaml_parser_scan_block_scalar and yaml_parser_scan_flow_scalar of go.yaml.in/yaml/v2/scannerc.go
 */
export function scalarText(source: string, event: ScalarEvent): string {
  const { style, valueStart, valueEnd } = event;
  switch (style) {
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return event.fast ? getScalarValue(source, event) : quotedText(source.slice(valueStart, valueEnd), event);
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK: {
      const text = getScalarValue(source, event);
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
