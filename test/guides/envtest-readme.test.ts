import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

/** Below node_modules, so that a program finds the built packages as those of a user's project. */
const cache = join(repositoryRoot, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'envtest-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(repositoryRoot, 'packages/envtest/README.md'), 'utf8');
const sections = readme.split(/^## /m).map((section) => ({
  name: section.slice(0, section.indexOf('\n')),
  programs: [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, program = '']) => program),
}));
const examples = sections.flatMap(({ name, programs }) =>
  programs
    .filter(
      (program) =>
        program.includes("import { startControlPlane } from '@apiserver/envtest'") ||
        program.includes(', startControlPlane'),
    )
    .map((program, index) => ({ name: `${name} ${index + 1}`, program })),
);

/** The output of the examples, by the name of their section. */
const printed: Readonly<Record<string, RegExp>> = {
  'Faults 1': /id: 'fault-4'/,
  'Requests 1': /^kubernetes-admin list configmaps 5 200 [\d.]+$/m,
  'Waiting 1': /^ready$/m,
};

it.each(examples)('$name runs as it is written, and ends', async ({ name, program }) => {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.mjs`);
  writeFileSync(file, stripTypeScriptTypes(program));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  expect(stderr).toBe('');
  expect(stdout).toMatch(printed[name] ?? /.*/);
});

it('has an example of each power', () => {
  const names = examples.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(printed)));
});
