import { runCommand } from './command/run-command.js';

/** The binary: runs the command with this process's streams and signals, and leaves its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCommand(args, {
    stdout: process.stdout,
    stderr: process.stderr,
    exit: (code) => process.exit(code),
    on: (signal, listener) => process.on(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
  });
}
