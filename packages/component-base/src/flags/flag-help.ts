import type { Flag, NamedFlagSets } from './flag-set.js';

/**
 * The flags in their sections, aligned as upstream's --help. `columns` is the terminal's width; 0 does not wrap.
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

function formatFlags(flags: readonly Flag[], columns: number): string {
  const heads = flags.map(flagHead);
  // With a known width upstream starts the usage text at column 24, however short the names are.
  const width = Math.max(...heads.map((head) => head.length), 0);
  const indent = columns > 24 ? 16 : width + 3;
  return flags
    .map((flag, index) => {
      const head = heads[index] ?? '';
      const usage = flag.usage + defaultNote(flag);
      if (columns > 24) return `${head}\n${wrap(usage, columns - indent, indent)}\n`;
      return `${head.padEnd(indent)}${usage.replaceAll('\n', `\n${' '.repeat(indent)}`)}\n`;
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

function wrap(text: string, width: number, indent: number): string {
  const margin = ' '.repeat(indent);
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else {
        line = line === '' ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
  }
  return lines.map((line) => margin + line).join('\n');
}
