import type { NamedFlagSets } from '@apiserver/generic-server';
import type { CommandEnvironment } from '../command/command-environment.js';
import type { DataOptions } from '../options/data-options.js';

/** A command beside the server's own, on the store that a server keeps. */
export interface StoreCommand {
  /** As it is called, behind the program's name: "backup FILE". */
  readonly use: string;
  readonly description: string;
  addFlags(sets: NamedFlagSets): void;
  /** Works on the store in `directory`, and answers what to say of it. Throws errors whose message is for the operator. */
  run(file: string, directory: string, data: DataOptions): Promise<string>;
}

/** What a store command writes to. */
export type StoreCommandEnvironment = Pick<CommandEnvironment, 'stdout' | 'stderr'>;
