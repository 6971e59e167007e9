import { runCommand } from './command/run-command.js';

/**
 * The binary: runs the command with this process's streams and signals, and leaves its exit code. `firstObjects` is a file that
 * the build has written: what a first start need not make.
 */
export async function main(args: readonly string[], firstObjects?: string): Promise<void> {
  process.exitCode = await runCommand(args, {
    stdout: process.stdout,
    stderr: process.stderr,
    firstObjects,
    exit: (code) => process.exit(code),
    on: (event, listener) => process.on(event, listener),
    off: (event, listener) => process.off(event, listener),
  });
}
