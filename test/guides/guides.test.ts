import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocksOf } from '../../scripts/documents/code-blocks.ts';
import { quotationsOf, staleQuotations, withoutQuotations } from '../../scripts/documents/quotations.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const guides = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && quotes(name));
const examples = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((path) => `test/guides/${path.replaceAll('\\', '/')}`)
  .filter((path) => /^test\/guides\/[^/]+\/.*\.ts$/.test(path));

function quotes(name: string): boolean {
  return quotationsOf(read(`docs/${name}`)).length > 0;
}

it.each(guides)('docs/%s quotes files as they are', (name) => {
  expect(staleQuotations(read(`docs/${name}`), read)).toEqual([]);
});

it('has no TypeScript in a guide but quotations, which are compiled and run', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const loose = pages.flatMap((name) => codeBlocksOf(`docs/${name}`, withoutQuotations(read(`docs/${name}`))));
  expect(loose.map(({ document, line }) => `${document}:${line}`)).toEqual([]);
});

it('has no example that no guide quotes', () => {
  const quoted = guides.flatMap((name) => quotationsOf(read(`docs/${name}`)).map(({ path }) => path));
  expect(examples.filter((path) => !quoted.includes(path))).toEqual([]);
});

it('describes a way of adding each kind of part', () => {
  const added = guides.flatMap((name) => /^adding-an?-(.*)\.md$/.exec(name)?.[1] ?? []);
  expect(added.sort()).toEqual([
    ...['authenticator', 'filter', 'flag', 'metric', 'plugin', 'resource', 'storage-backend'],
  ]);
});

describe('docs/testing.md', () => {
  const page = read('docs/testing.md');
  /** The first cells of the table behind a line. */
  function namesBehind(line: string): string[] {
    const [, behind = ''] = page.split(`\n${line}\n\n`);
    const [table = ''] = behind.split('\n\n');
    return [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name);
  }

  it('has each folder of test/', () => {
    const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(namesBehind('The folders of `test/`:')).toEqual(folders.map(({ name }) => name).sort());
  });

  it('has each contract suite that a package exports', () => {
    const suites = readdirSync(join(ROOT, 'packages')).flatMap((name) =>
      suitesOf(`packages/${name}/src/testing/index.ts`),
    );
    expect(namesBehind('The contract suites:')).toEqual(suites.sort());
  });

  function suitesOf(index: string): string[] {
    if (!existsSync(join(ROOT, index))) return [];
    return [...read(index).matchAll(/\b(\w+Suite)\b/g)].map(([, name = '']) => name);
  }
});
