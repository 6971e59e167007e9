import type { Flag, NamedFlagSets } from './flag-set.js';

/**
 * The flags in their sections, aligned as upstream's --help. `columns` is the terminal's width; 0 does not wrap. Usages
 * must be ASCII: upstream counts bytes.
 * Upstream: k8s.io/component-base/cli/flag.PrintSections
 */
export function formatFlagSections(sets: NamedFlagSets, columns: number): string {
  let text = '';
  for (const [name, section] of sets.sections()) {
    const flags = section.flags().filter((flag) => !flag.hidden);
    if (flags.length === 0) continue;
    text += `\n${name.slice(0, 1).toUpperCase()}${name.slice(1)} flags:\n\n${formatFlags(flags, columns)}`;
  }
  return text;
}

/** Where wrapped usage begins, below its flag. */
const USAGE_INDENT = 16;
/** Usage is not wrapped into fewer columns. */
const MIN_USAGE_COLUMNS = 24;
/** A rest that is so much longer than a line stays in it. */
const MAX_OVERHANG = 5;

function formatFlags(flags: readonly Flag[], columns: number): string {
  const heads = flags.map(flagHead);
  const longest = Math.max(...heads.map((head) => head.length), 0) + 3;
  // With a known width upstream reserves all but nine columns for the flags, so that every usage has lines of its own.
  const width = columns > 24 ? Math.max(longest, columns - 9) : longest;
  return flags
    .map((flag, index) => {
      const usage = flag.usage + defaultNote(flag);
      const shown = columns === 0 ? indentLines(usage, width) : wrapBelow(usage, columns);
      return `${(heads[index] ?? '').padEnd(width)}${shown}\n`;
    })
    .join('');
}

function flagHead(flag: Flag): string {
  const names = flag.shorthand === '' ? `      --${flag.name}` : `  -${flag.shorthand}, --${flag.name}`;
  return flag.value.isBoolean ? names : `${names} ${flag.value.typeName}`;
}

function defaultNote({ value, deprecated }: Flag): string {
  const byDefault = value.defaultText === undefined ? '' : ` (default ${value.defaultText})`;
  return deprecated === '' ? byDefault : `${byDefault} (DEPRECATED: ${deprecated})`;
}

/** The usage as lines below its flag, or beside it in a narrow terminal. Upstream: pflag's wrap and wrapN */
function wrapBelow(text: string, columns: number): string {
  const width = columns - USAGE_INDENT;
  if (width < MIN_USAGE_COLUMNS) return indentLines(text, USAGE_INDENT);
  const lines: string[] = [];
  let rest = text;
  do {
    const end = lineEnd(rest, width);
    lines.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  } while (rest !== '');
  return indentLines(`\n${lines.join('\n')}`, USAGE_INDENT);
}

/** Where the first line of a text ends: before white space, or with the text if it fits or is one long word. */
function lineEnd(text: string, width: number): number {
  if (width > text.length) return text.length;
  const start = text.slice(0, width - MAX_OVERHANG);
  const space = Math.max(...[' ', '\t', '\n'].map((one) => start.lastIndexOf(one)));
  if (space <= 0) return text.length;
  const lineBreak = start.lastIndexOf('\n');
  return lineBreak > 0 ? lineBreak : space;
}

function indentLines(text: string, indent: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(indent)}`);
}
