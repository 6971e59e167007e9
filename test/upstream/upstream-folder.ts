import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../harness/api-server.ts';

/** Folder of upstream's modules. */
export const upstreamFolder = join(repositoryRoot, 'test/upstream');

/** Compiles one of the commands of that folder, and returns the path of the program. Throws if it does not compile. */
export function compileUpstream(name: 'program' | 'live' | 'aggregator' | 'chain' | 'reference', into: string): string {
  const program = join(into, name);
  const built = spawnSync('go', ['build', '-o', program, `./${name}`], { cwd: upstreamFolder, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${name} does not compile: ${built.stderr}`);
  return program;
}
