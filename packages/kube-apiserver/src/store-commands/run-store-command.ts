import { aggregateMessages } from '@apiserver/apimachinery';
import { boolValue, field, formatFlagSections, NamedFlagSets } from '@apiserver/generic-server';
import { DataOptions } from '../options/data-options.js';
import { backupCommand } from './backup-command.js';
import { restoreCommand } from './restore-command.js';
import type { StoreCommand, StoreCommandEnvironment } from './store-command.js';
import { storeDirectory } from './store-directory.js';

/**
 * `kube-apiserver backup` and `kube-apiserver restore`, whose arguments follow. Answers the exit code: 0 when it is done, 1
 * with the reason on stderr when it is not.
 */
export async function runStoreCommand(
  name: 'backup' | 'restore',
  args: readonly string[],
  { stdout, stderr }: StoreCommandEnvironment,
): Promise<number> {
  const command = name === 'backup' ? backupCommand() : restoreCommand();
  const data = new DataOptions();
  const asked = { help: false };
  const sets = new NamedFlagSets();
  command.addFlags(sets);
  data.addPlaceFlags(sets.section('storage'));
  sets.section('global').add('help', boolValue(field(asked, 'help')), `Help for ${name}.`, { shorthand: 'h' });
  try {
    const { positionals } = sets.parse(args);
    if (asked.help) {
      stdout.write(formatCommandHelp(command, sets, stdout.columns ?? 0));
      return 0;
    }
    const [file = '', ...more] = positionals;
    if (file === '' || more.length > 0) throw new Error(`usage: kube-apiserver ${command.use} [flags]`);
    const errors = data.validate();
    if (errors.length > 0) throw new Error(aggregateMessages(errors.map(({ message }) => message)));
    stdout.write(`${await command.run(file, await storeDirectory(data, name), data)}\n`);
    return 0;
  } catch (error) {
    stderr.write(`Error: ${explain(error)}\n`);
    return 1;
  }
}

function formatCommandHelp(command: StoreCommand, sets: NamedFlagSets, columns: number): string {
  return `${command.description}\n\nUsage:\n  kube-apiserver ${command.use} [flags]\n${formatFlagSections(sets, columns)}`;
}

/** The message, and what it was caused by where that says more. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${explain(error.cause)}` : error.message;
}
