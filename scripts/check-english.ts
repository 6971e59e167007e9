/**
 * Holds comments and documents against the house's rules of English that a program can tell. `allowed.json` has the
 * faults that each area may still have; they may only get fewer. With `--all` it prints every fault, with `--lower` it
 * writes down today's numbers where they fell. Exit code 1 if an area has more than it may.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultsOfEnglish, RULES } from './english/faults-of-english.ts';
import { sentencesOfDocument, sentencesOfProgram } from './english/sentences.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const allowedPath = join(root, 'scripts/english/allowed.json');
const allowed = JSON.parse(readFileSync(allowedPath, 'utf8')) as Record<string, number>;
const found = new Map<string, string[]>();
for (const path of execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')) {
  if (!/\.(ts|mjs|js|md)$/.test(path) || !existsSync(join(root, path))) continue;
  const area = areaOf(path);
  found.set(area, [...(found.get(area) ?? []), ...faultsOf(path)]);
}
const over = [...found].filter(([area, faults]) => faults.length > (allowed[area] ?? 0));
const shown = process.argv.includes('--all') ? [...found] : over;
for (const [, faults] of shown) for (const fault of faults) console.error(fault);
if (process.argv.includes('--lower')) lower();
for (const [area, faults] of over) {
  console.error(`${area}: ${faults.length} faults of English, ${allowed[area] ?? 0} are allowed`);
  process.exitCode = 1;
}

/** The first folder, so that a move from one package to another changes no number. */
function areaOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
}

function faultsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const sentences = path.endsWith('.md') ? sentencesOfDocument(text) : sentencesOfProgram(text);
  return sentences.flatMap((sentence) =>
    faultsOfEnglish(sentence).map((rule) => `${path}:${sentence.line}: ${RULES[rule]}: ${sentence.text}`),
  );
}

function lower(): void {
  const counts = [...found].map(([area, faults]): [string, number] => [
    area,
    Math.min(faults.length, allowed[area] ?? 0),
  ]);
  const left = counts.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(allowedPath, `${JSON.stringify(Object.fromEntries(left), null, 2)}\n`);
}
