import { aggregateMessages } from '@apiserver/apimachinery/field';
import { boolValue, field, formatFlagSections, NamedFlagSets } from '@apiserver/component-base/flags';
import { DataOptions } from '../options/data-options.js';
import { backupCommand } from './backup-command.js';
import { checkCommand } from './check-command.js';
import { restoreCommand } from './restore-command.js';
import type { StoreCommand, StoreCommandEnvironment, StoreCommandName } from './store-command.js';
import { storeDirectory } from './store-directory.js';

const COMMANDS: Readonly<Record<StoreCommandName, () => StoreCommand>> = {
  backup: backupCommand,
  restore: restoreCommand,
  check: checkCommand,
};

/**
 * `kube-apiserver backup`, `restore` and `check`, whose arguments follow. Returns the exit code: 0 for success, 1 for
 * a failure, with the reason on stderr, and 1 if a check finds faults.
 */
export async function runStoreCommand(
  name: StoreCommandName,
  args: readonly string[],
  { stdout, stderr }: StoreCommandEnvironment,
): Promise<number> {
  const command = COMMANDS[name]();
  const data = new DataOptions();
  const requested = { help: false };
  const sets = new NamedFlagSets();
  command.addFlags(sets);
  data.addPlaceFlags(sets.section('storage'));
  sets.section('global').add('help', boolValue(field(requested, 'help')), `Help for ${name}.`, { shorthand: 'h' });
  try {
    const { positionals } = sets.parse(args);
    if (requested.help) {
      stdout.write(formatCommandHelp(command, sets, stdout.columns ?? 0));
      return 0;
    }
    const [file = '', ...more] = positionals;
    const isOptional = command.use.endsWith(']');
    if ((file === '' && !isOptional) || more.length > 0) {
      throw new Error(`usage: kube-apiserver ${command.use} [flags]`);
    }
    if (isOptional && file !== '') data.dataDirectory = file;
    const errors = data.validate();
    if (errors.length > 0) throw new Error(aggregateMessages(errors.map(({ message }) => message)));
    const { text, code } = await command.run(file, await storeDirectory(data, name));
    stdout.write(`${text}\n`);
    return code;
  } catch (error) {
    stderr.write(`Error: ${explain(error)}\n`);
    return 1;
  }
}

function formatCommandHelp(command: StoreCommand, sets: NamedFlagSets, columns: number): string {
  return `${command.description}\n\nUsage:\n  kube-apiserver ${command.use} [flags]\n${formatFlagSections(sets, columns)}`;
}

/** The message, and that of its cause if that adds information. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${explain(error.cause)}` : error.message;
}
