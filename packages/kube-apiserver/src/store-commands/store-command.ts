import type { NamedFlagSets } from '@apiserver/component-base/flags';
import type { CommandEnvironment } from '../command-environment.js';

/** A subcommand that works on the store of a server. */
export interface StoreCommand {
  /** Its usage, without the program's name: "backup FILE". Brackets mark an optional argument. */
  readonly use: string;
  readonly description: string;
  addFlags(sets: NamedFlagSets): void;
  /** Works on the store in `directory`. Throws errors whose message is for the operator. */
  run(file: string, directory: string): Promise<StoreCommandResult>;
}

/** The last output of a store command, and its exit code. */
interface StoreCommandResult {
  readonly text: string;
  readonly code: 0 | 1;
}

/** The names of the subcommands, each the first argument. */
export const STORE_COMMANDS = ['backup', 'restore', 'check'] as const;
/** The name of a command on a store. */
export type StoreCommandName = (typeof STORE_COMMANDS)[number];

/** The output streams of a store command. */
export type StoreCommandEnvironment = Pick<CommandEnvironment, 'stdout' | 'stderr'>;
