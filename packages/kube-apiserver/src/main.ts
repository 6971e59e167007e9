import { npmShell } from '@apiserver/component-base/process';
import { runCommand } from './command/run-command.js';

/**
 * The binary: runs the command with this process's streams and signals, and sets its exit code. `firstObjects` is a
 * file of the build with the objects of a first start. `ready` is called when a server is ready.
 */
export async function main(args: readonly string[], firstObjects?: string, ready?: () => void): Promise<void> {
  process.exitCode = await runCommand(args, {
    stdout: process.stdout,
    stderr: process.stderr,
    firstObjects,
    ready,
    exit: (code) => process.exit(code),
    npmShell: npmShell(process, 'kube-apiserver'),
    on: (event, listener) => process.on(event, listener),
    off: (event, listener) => process.off(event, listener),
  });
}
