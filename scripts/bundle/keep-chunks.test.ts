import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepChunks } from './keep-chunks.mjs';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(`${tmpdir()}/chunks-`);
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A build of chunks of 100 bytes, which takes the place of the one before. */
function build(...names: string[]): void {
  const outdir = `${directory}/bundle`;
  keepChunks(outdir, 350);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir);
  for (const name of names) writeFileSync(`${outdir}/${name}`, name.padEnd(100));
}

const kept = () => readdirSync(`${directory}/bundle.before`).sort();

it('keeps the chunks of earlier builds, but neither entries nor what lies beside chunks', () => {
  build(
    'main.cjs',
    'later-AbC_-123.cjs',
    'later-AbC_-123.cjs.map',
    'later-AbC_-123.deferred.cjs',
    'first-objects.json',
  );
  build('main.cjs', 'later-XyZ_-123.cjs');
  build('main.cjs');
  expect(kept()).toEqual(['later-AbC_-123.cjs', 'later-AbC_-123.deferred.cjs', 'later-XyZ_-123.cjs']);
  expect(readFileSync(`${directory}/bundle.before/later-XyZ_-123.cjs`, 'utf8')).toContain('later-XyZ_-123.cjs');
});

it('removes the oldest beyond its limit, and counts a chunk of several builds as one of the last', () => {
  build('shared-00000000.cjs', 'one-00000001.cjs');
  build('shared-00000000.cjs', 'two-00000002.cjs');
  for (const name of kept()) utimesSync(`${directory}/bundle.before/${name}`, 1, 1);
  build('three-00000003.cjs');
  for (const name of ['shared-00000000.cjs', 'two-00000002.cjs'])
    utimesSync(`${directory}/bundle.before/${name}`, 2, 2);
  build();
  expect(kept()).toEqual(['shared-00000000.cjs', 'three-00000003.cjs', 'two-00000002.cjs']);
});
