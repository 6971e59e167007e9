import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { quotationsOf, staleQuotations } from '../../scripts/documents/quotations.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const guides = readdirSync(join(ROOT, 'docs')).filter((name) => /^adding-an?-\S+\.md$/.test(name));
const examples = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((path) => `test/guides/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && path !== 'test/guides/guides.test.ts');

it.each(guides)('docs/%s quotes files as they are', (name) => {
  const text = read(`docs/${name}`);
  expect(quotationsOf(text)).not.toEqual([]);
  expect(staleQuotations(text, read)).toEqual([]);
});

it('has no example that no guide quotes', () => {
  const quoted = guides.flatMap((name) => quotationsOf(read(`docs/${name}`)).map(({ path }) => path));
  expect(examples.filter((path) => !quoted.includes(path))).toEqual([]);
});

it('describes a way of adding each kind of part', () => {
  expect(guides.map((name) => name.replace(/^adding-an?-(.*)\.md$/, '$1')).sort()).toEqual([
    ...['authenticator', 'filter', 'flag', 'metric', 'plugin', 'resource', 'storage-backend'],
  ]);
});
