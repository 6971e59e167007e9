import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { buildAlone } from '../build-lock.mjs';

/** A process that builds, notes it in the file `steps`, and goes on until its stdin ends or it is killed. */
const BUILDER = `
import { buildAlone } from ${JSON.stringify(join(import.meta.dirname, '../build-lock.mjs'))};
import { appendFileSync } from 'node:fs';
await buildAlone('.', async () => {
  appendFileSync('steps', 'other begins\\n');
  for await (const _ of process.stdin);
  appendFileSync('steps', 'other ends\\n');
});
`;

async function startBuilder() {
  const folder = mkdtempSync(join(tmpdir(), 'build-lock-'));
  const steps = join(folder, 'steps');
  const builder = spawn(process.execPath, ['--input-type=module', '--eval', BUILDER], { cwd: folder });
  const ended = once(builder, 'exit');
  onTestFinished(async () => {
    builder.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  await vi.waitFor(() => expect(existsSync(steps)).toBe(true), { timeout: 20_000 });
  return { folder, steps, builder };
}

it('waits for the build of another process', async () => {
  const { folder, steps, builder } = await startBuilder();
  const build = async (hasWaited: boolean) => appendFileSync(steps, `own, ${hasWaited}\n`);
  await buildAlone(folder, build, () => {
    appendFileSync(steps, 'waits\n');
    builder.stdin.end();
  });
  expect(readFileSync(steps, 'utf8')).toBe('other begins\nwaits\nother ends\nown, true\n');
});

it('goes on when the other process is killed', async () => {
  const { folder, builder } = await startBuilder();
  const onWait = vi.fn(() => void builder.kill('SIGKILL'));
  expect(await buildAlone(folder, async () => 'built', onWait)).toBe('built');
  expect(onWait).toHaveBeenCalledOnce();
});

it('lets the next build begin after a failed one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'build-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const onWait = vi.fn();
  await expect(buildAlone(folder, () => Promise.reject(new Error('broken')), onWait)).rejects.toThrow('broken');
  expect(await buildAlone(folder, async (hasWaited) => hasWaited, onWait)).toBe(false);
  expect(onWait).not.toHaveBeenCalled();
});
