import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../docs');
const AREAS = [
  'definitions',
  'start',
  'reads',
  'writes',
  'watches',
  'http2',
  'memory',
  'custom resources',
  'etcd',
  'event loop',
  'v8 flags',
  'planes',
];

interface Change {
  readonly area: string;
  readonly outcome: string;
  readonly change: string;
  readonly results?: readonly object[];
  readonly note?: string;
  readonly decision?: string;
}

const linesOf = (name: string) =>
  readFileSync(join(DOCS, 'performance', name), 'utf8')
    .trimEnd()
    .split('\n');
const changes = linesOf('history.jsonl').map((line): Change => JSON.parse(line));
const decisions = readdirSync(join(DOCS, 'decisions')).map((name) => name.slice(0, 4));

it('has one change a line, and says why a change was dropped', () => {
  for (const { area, outcome, change, results, note, decision } of changes) {
    expect(AREAS).toContain(area);
    expect(['kept', 'dropped']).toContain(outcome);
    if (decision !== undefined) expect(decisions).toContain(decision);
    if (outcome === 'dropped') expect(results ?? note, change).toBeDefined();
  }
});

it('has only the fields that its README names', () => {
  const documented = [...readFileSync(join(DOCS, 'performance/README.md'), 'utf8').matchAll(/`(\w+)`/g)].map(
    ([, name]) => name,
  );
  const lines = ['history.jsonl', 'figures.jsonl'].flatMap(linesOf);
  const results = changes.flatMap(({ results = [] }) => results);
  const used = [...lines.map((line): object => JSON.parse(line)), ...results].flatMap((entry) => Object.keys(entry));
  expect([...new Set(used)].filter((name) => !documented.includes(name))).toEqual([]);
});
