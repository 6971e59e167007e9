import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build-stale.mjs';
import { type ShellCommand, scriptsOf, serverArguments } from './shell-commands.ts';

const binary = join(root, 'packages/kube-apiserver/bin/kube-apiserver.js');

/**
 * The faults of commands in documents: syntax that the shell does not read, files that are not there, and flags that
 * the server does not know. The flags are checked without a start of the server.
 */
export function faultsOfCommands(commands: readonly ShellCommand[]): string[] {
  return commands.flatMap((command) => {
    const place = `${command.document}:${command.line}: ${command.text}`;
    return [...syntaxFaults(command), ...missingScripts(command), ...flagFaults(command)].map(
      (fault) => `${place}: ${fault}`,
    );
  });
}

/** Nothing on Windows, which has no `sh`. */
function syntaxFaults({ text }: ShellCommand): string[] {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: `${text}\n`, encoding: 'utf8' });
  return status === 0 || status === null ? [] : [stderr.trim()];
}

function missingScripts(command: ShellCommand): string[] {
  return scriptsOf(command)
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `there is no ${path}`);
}

/** The server reads all flags before it responds to `--help`. */
function flagFaults(command: ShellCommand): string[] {
  const args = serverArguments(command);
  if (args === undefined) return [];
  const { status, stderr } = spawnSync(process.execPath, [binary, ...args, '--help'], { encoding: 'utf8' });
  return status === 0 ? [] : [stderr.trim()];
}
