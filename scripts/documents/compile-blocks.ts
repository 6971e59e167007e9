import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build-stale.mjs';
import { type CodeBlock, faultsOf } from './code-blocks.ts';

const reading = {
  noEmit: true,
  composite: false,
  incremental: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

/**
 * Compiles blocks as strictly as our own code, each as a module in `folder`. The folder is emptied first, and packages
 * are resolved from it. `options` are added to those of the compiler. Returns the faults; throws if the compiler cannot
 * run.
 */
export function compileBlocks(folder: string, blocks: readonly CodeBlock[], options: object): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const named = new Map(blocks.map((block, i) => [`block-${i}.ts`, block]));
  for (const [name, { code }] of named) writeFileSync(join(folder, name), code);
  const compilerOptions = { ...reading, ...options };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false'];
  const { error, status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw error;
  // Complaints that are no faults fail it too, but there is something to read.
  if (status !== 0 && stdout === '') throw new Error(`the compiler ended with ${status}: ${stderr}`);
  return faultsOf(stdout, named);
}
