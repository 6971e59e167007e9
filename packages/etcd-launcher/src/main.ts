import { npmShell } from '@apiserver/component-base/process';
import { runEtcdCommand } from './run-etcd-command.js';

/** The `etcd` binary: runs the command with this process's streams, variables and signals, and leaves its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runEtcdCommand(args, {
    variables: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    exit: (code) => process.exit(code),
    npmShell: npmShell(process, 'etcd-launcher'),
    on: (event, listener) => process.on(event, listener),
    off: (event, listener) => process.off(event, listener),
  });
}
