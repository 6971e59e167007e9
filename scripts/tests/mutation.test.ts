import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { killGroup } from '../mutation/kill-group.mjs';
import { reportMutants } from '../mutation/report-mutants.mjs';
import { strykerPlugins } from '../mutation/result-reporter.mjs';
import { runMutation } from '../mutation/run-mutation.mjs';

afterEach(() => vi.restoreAllMocks());

describe('a mutation run', () => {
  it('refuses more runners than Stryker can have with one checker', async () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const options = { names: ['no such target'], seed: 1, size: 1, timeout: 1 };
    expect(await runMutation({ ...options, concurrency: 3 })).toBe(2);
    expect(said).toHaveBeenLastCalledWith(expect.stringContaining('--runners must be at most 2'));
    await runMutation({ ...options, concurrency: 2 });
    expect(said).toHaveBeenLastCalledWith(expect.stringContaining('unknown target no such target'));
  });

  it.each([
    { name: 'passes with its whole sample', size: 2, killed: 2, skipped: 3, stopped: false, ok: true },
    { name: 'passes with all mutants there are', size: 9, killed: 2, skipped: 0, stopped: false, ok: true },
    { name: 'fails with less', size: 3, killed: 2, skipped: 3, stopped: false, ok: false },
    { name: 'fails with less than there are', size: 9, killed: 2, skipped: 1, stopped: false, ok: false },
    { name: 'only says that it was stopped', size: 3, killed: 2, skipped: 3, stopped: true, ok: false },
  ])('$name', ({ size, killed, skipped, stopped, ok }) => {
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const folder = mkdtempSync(join(tmpdir(), 'mutation-report-'));
    const path = join(folder, 'results.jsonl');
    const statuses = [...Array(killed).fill('Killed'), ...Array(skipped).fill('CompileError')];
    const lines = statuses.map((status, line) => {
      const place = { line: line + 1, column: 1 };
      const location = { start: place, end: place };
      return { id: `${line}`, fileName: join(folder, 'a.ts'), mutatorName: 'm', replacement: '', location, status };
    });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const sample = { seed: 1, size, folders: [''] };
    const run = { name: 'some', minutes: '1', copy: folder, sample, stopped, mutants: [] };
    expect(reportMutants(path, run)).toBe(ok);
    const text = log.mock.calls.flat().join('\n');
    expect(text).toContain(`${killed} of ${killed} killed`);
    expect(text.includes('1 more mutants of the sample were not tested')).toBe(!ok && !stopped);
    rmSync(folder, { recursive: true });
  });
});

it('keeps the results of mutants that the checker skips, but not of static ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-results-'));
  const resultFile = join(folder, 'results.jsonl');
  const reporters = strykerPlugins.map(({ injectableClass }) => new injectableClass({ resultFile }));
  const place = { line: 1, column: 1 };
  for (const status of ['Killed', 'CompileError', 'Ignored']) {
    const mutant = { id: '1', fileName: 'a.ts', mutatorName: 'm', location: { start: place, end: place }, status };
    for (const reporter of reporters) reporter.onMutantTested(mutant);
  }
  const lines = readFileSync(resultFile, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(['Killed', 'CompileError']);
  rmSync(folder, { recursive: true });
});

describe('the end of a group', () => {
  it('is no error if all of its processes have ended', async () => {
    const child = spawn(process.execPath, ['--eval', ''], { detached: true, stdio: 'ignore' });
    await once(child, 'exit');
    expect(() => killGroup(child)).not.toThrow();
  });
});
