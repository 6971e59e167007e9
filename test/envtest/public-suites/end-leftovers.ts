import { spawnSync } from 'node:child_process';

/**
 * Ends the programs that a suite started and did not stop, as those do that fail at their start; they are known by the
 * folder for temporary files, which stands in their flags. Returns how many there were.
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
