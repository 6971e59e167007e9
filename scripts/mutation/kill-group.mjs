/**
 * Ends a process and all of its group at once: a mutant may hold a process in a loop that no signal handler leaves.
 *
 * @param {import('node:child_process').ChildProcess} child leader of a group, where the platform has groups
 */
export function killGroup(child) {
  if (process.platform === 'win32' || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // All have just ended, and the event of it is still to come.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
