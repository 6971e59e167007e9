import type { NamedFlagSets } from '@apiserver/component-base/flags';
import type { CommandEnvironment } from '../command-environment.js';

/** A command beside the server's own, on the store that a server keeps. */
export interface StoreCommand {
  /** As it is called, behind the program's name: "backup FILE". An argument in brackets may be left out. */
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

/** The names of the commands, which come first of all arguments. */
export const STORE_COMMANDS = ['backup', 'restore', 'check'] as const;
export type StoreCommandName = (typeof STORE_COMMANDS)[number];

/** The output streams of a store command. */
export type StoreCommandEnvironment = Pick<CommandEnvironment, 'stdout' | 'stderr'>;
