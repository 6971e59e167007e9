import { spawnSync } from 'node:child_process';

/**
 * Ends the programs that a suite started and did not stop, for example because it failed at its start. Their flags name
 * the folder for temporary files. Returns the number of programs.
 */
export function endLeftovers(folder: string): number {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const left = stdout.split('\n').filter((line) => line.includes(`=${folder}/`));
  for (const line of left) end(Number.parseInt(line, 10));
  return left.length;
}

function end(id: number): void {
  try {
    process.kill(id, 'SIGTERM');
  } catch {
    // It has ended meanwhile.
  }
}
