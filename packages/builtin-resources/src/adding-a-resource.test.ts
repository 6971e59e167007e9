import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { storedDefinitions } from './testing/group-dependencies.js';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/adding-a-resource.md'), 'utf8');

/** Every quotation of the page: a path on a line of its own, and the block below it. */
const quotations = [...PAGE.matchAll(/^`(\S+\.ts)`:\n```ts\n([\s\S]*?)\n```$/gm)].map(([, path = '', code = '']) => ({
  path,
  code,
}));

/** Folders of resources, such as core/config-map. */
const folders = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[^/]+\/[^/]+\/index\.ts$/.test(path))
  .map((path) => path.replace(/\/index\.ts$/, ''));

describe('docs/adding-a-resource.md', () => {
  it('quotes something of each step', () => {
    expect(quotations.map(({ path }) => path.replace(/^.*\//, ''))).toEqual([
      'validation.ts',
      'strategy.ts',
      'columns.ts',
      'index.ts',
      'index.ts',
    ]);
  });

  it.each(quotations)('quotes $path verbatim', ({ path, code }) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(code);
  });

  it('names only files that exist', () => {
    const named = [...PAGE.matchAll(/`((?:packages|src|core)\/[\w./-]+\.ts)`/g)].map(([, path = '']) => path);
    const missing = named.filter((path) => {
      const places = [join(ROOT, path), join(import.meta.dirname, '..', path), join(import.meta.dirname, path)];
      return !places.some((place) => existsSync(place));
    });
    expect(missing).toEqual([]);
  });
});

describe.each(folders)('folder %s', (folder) => {
  const exportsOf = async () => {
    const values: (Partial<AnyResourceDefinition> | ((dependencies: never) => AnyResourceDefinition))[] = Object.values(
      await import(join(import.meta.dirname, folder, 'index.ts')),
    );
    return {
      declared: values.filter((value) => typeof value !== 'function'),
      factories: values.filter((value) => typeof value === 'function'),
    };
  };

  it('has the files of every resource', async () => {
    const { declared } = await exportsOf();
    // A view of another group's resource has its strategy and columns there.
    const isView = declared.every(({ storedAs }) => storedAs !== undefined);
    const needed = isView ? ['index.ts'] : ['index.ts', 'strategy.ts', 'columns.ts'];
    const missing = needed.filter((file) => !existsSync(join(import.meta.dirname, folder, file)));
    expect(missing).toEqual([]);
  });

  it('is in the list of its group, as declared or as made by its factory', async () => {
    const { declared, factories } = await exportsOf();
    const listed = storedDefinitions();
    // A factory needs its dependencies, so that only the name of its kind tells what it has made.
    const made = listed.filter(({ kind }) => kebabCase(kind) === basename(folder));
    if (factories.length > 0) expect(made).not.toEqual([]);
    else expect(declared).not.toEqual([]);
    const unlisted = declared.filter(({ group, resource }) => {
      const found = listed.find((definition) => definition.group === group && definition.resource === resource);
      return factories.length === 0 ? !declared.includes(found ?? {}) : found === undefined;
    });
    expect(unlisted).toEqual([]);
  });
});

function kebabCase(kind: string): string {
  return kind.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}
