import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ModuleReader } from './declaration-module.ts';
import { type PackageReport, writeReport } from './write-report.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'api-report-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function reportOf(files: Readonly<Record<string, string>>): string {
  return packageReportOf(files).text.split('\n').slice(4).join('\n');
}

function packageReportOf(files: Readonly<Record<string, string>>): PackageReport {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.d.ts`), text);
  const entries = ['index', 'errors', 'facts']
    .filter((name) => name in files)
    .map((name) => ({ specifier: `@x/${name}`, path: join(folder, `${name}.d.ts`), namesOnly: name === 'facts' }));
  return writeReport('@x', entries, new ModuleReader());
}

test('has the signatures of exports, without comments and private members', () => {
  expect(
    reportOf({
      index: "export { Pod as Pot, run } from './pod.js';\nexport { now } from '@y/clock';\n",
      pod: [
        '/** A pod. */',
        'export declare class Pod {',
        '    #private;',
        '    private readonly secret;',
        '    /** Its name. */',
        "    readonly name: '/* no comment */';",
        '}',
        'export declare function run(pod: Pod): void;',
        'export declare function run(name: string): void;',
        'export declare const other: number;',
      ].join('\n'),
    }),
  ).toBe(
    [
      '## `@x/index`',
      '',
      '```ts',
      "export { now } from '@y/clock';",
      'class Pod {',
      "  readonly name: '/* no comment */';",
      '}',
      'function run(pod: Pod): void;',
      'function run(name: string): void;',
      '```',
      '',
    ].join('\n'),
  );
});

test('has the types that signatures name, through modules and generics, each once', () => {
  const report = reportOf({
    index: "export { list } from './list.js';\n",
    list: [
      "import type { Options } from './options.js';",
      'interface Page<T> { items: T[]; next?: Page<T>; }',
      'export declare function list<T>(options: Options): Page<T>;',
    ].join('\n'),
    options:
      "import type { Clock } from '@y/clock';\nexport interface Options extends Base { clock: Clock; }\ninterface Base {}\n",
  });
  expect(report.slice(report.indexOf('## Types'))).toBe(
    [
      '## Types that are not exported',
      '',
      '```ts',
      'interface Base {}',
      'interface Options extends Base { clock: Clock; }',
      'interface Page<T> { items: T[]; next?: Page<T>; }',
      '```',
      '',
    ].join('\n'),
  );
});

test('refers to the entry that has an export already, and has the names alone of generated modules', () => {
  const report = reportOf({
    index: "export { fail } from './fail.js';\n",
    errors: "export { fail } from './fail.js';\n",
    facts: 'export interface Pod {}\nexport declare const v1: number;\n',
    fail: 'export declare function fail(): never;\n',
  });
  expect(report).toContain("## `@x/errors`\n\n```ts\nexport { fail } from '@x/index';\n```\n");
  expect(report).toContain('## `@x/facts`\n\n```ts\nexport { Pod, v1 };\n```\n');
});

test('refuses an export that it cannot follow', () => {
  expect(() => reportOf({ index: "export * from './pod.js';\n", pod: '' })).toThrow('ExportAllDeclaration');
});

test('lists exports without a docstring; constants and types in a row share one', () => {
  const { undocumented } = packageReportOf({
    index: "export { Cat, cats, Dog, bark, meow, Purr, purr } from './pets.js';\n",
    pets: [
      'export interface Cat {}',
      '/** A dog. */',
      'export interface Dog {}',
      '/** A sound. */',
      'export declare function bark(): void;',
      'export declare function meow(): void;',
      '/** Names. */',
      'export declare const dogs: string;',
      'export declare const cats: string;',
      'export type Purr = string;',
      '/** Purrs. */',
      'export declare function purr(): void;',
      'export declare function purr(loudly: boolean): void;',
    ].join('\n'),
  });
  expect(undocumented).toEqual(['@x/index: Cat', '@x/index: Purr', '@x/index: meow']);
});
