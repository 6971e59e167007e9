import { runCommand } from './command/run-command.js';

/** The binary: runs the command with this process's streams and signals, and leaves its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCommand(args, {
    stdout: process.stdout,
    stderr: process.stderr,
    exit: (code) => process.exit(code),
    on: (event, listener) => process.on(event, listener),
    off: (event, listener) => process.off(event, listener),
  });
}
