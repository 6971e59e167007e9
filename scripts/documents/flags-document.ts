import type { Flag, NamedFlagSets } from '@apiserver/component-base/flags';

const HEAD = `# Flags

<!-- node scripts/check-documents.ts --quote writes this page from the code. -->

\`kube-apiserver\` has the flags of Kubernetes 1.36 in the same sections, and a few more at the end. The texts are those of
\`--help\`. Underscores in names count as dashes.

A server logs each flag that it is given. It warns about a flag without an effect, and about a deprecated one. A
removed or unknown flag ends it.
`;

/** The page about all flags, from the options of the server. */
export function flagsDocument(sets: NamedFlagSets): string {
  const all = sets.all();
  const sections = [...sets.sections()].map(([name, set]) => section(name, set.flags()));
  return [HEAD, ...sections, withoutEffect(all), deprecated(all)].join('\n');
}

function section(name: string, flags: readonly Flag[]): string {
  const rows = flags.map(
    (flag) => `| \`--${flag.name}\` | ${flag.value.typeName} | ${defaultOf(flag)} | ${cell(flag.usage)} |\n`,
  );
  return `## ${name.slice(0, 1).toUpperCase()}${name.slice(1)}\n\n| flag | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function defaultOf({ value }: Flag): string {
  const text = value.defaultText;
  return text === undefined ? '' : `\`${cell(text)}\``;
}

/** Long lists of names become code, which is no prose. */
function cell(text: string): string {
  return text
    .replaceAll(/\w+(?:, [\w-]+){7,}/g, (names) => `\`${names}\``)
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}

function withoutEffect(flags: readonly Flag[]): string {
  const rows = flags
    .filter(({ noEffect }) => noEffect !== '')
    .map((flag) => `- \`--${flag.name}\`: ${flag.noEffect}\n`);
  return `## Accepted without effect\n\n${rows.join('')}`;
}

function deprecated(flags: readonly Flag[]): string {
  const rows = flags.filter((flag) => flag.deprecated !== '').map((flag) => `- \`--${flag.name}\`\n`);
  return `## Deprecated\n\nUpstream has announced the end of these flags.\n\n${rows.join('')}`;
}
