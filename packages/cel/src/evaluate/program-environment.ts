import type { Implementations } from '../values/implementation.js';
import type { StructConstructor } from '../values/struct-constructor.js';

/** The functions, variables and types of a program. */
export interface ProgramEnvironment {
  readonly functions: Implementations;
  /** The names of the variables, in the order of their bindings. */
  readonly variables: readonly string[];
  /**
   * True if a variable of JSON without a schema is another value each time that it is read: as the key of a map it is
   * not found.
   */
  readonly rereadsJson?: boolean;
  /** The constructors of struct literals by the names of their types, where those are no messages of protobuf. */
  readonly structs?: (typeName: string) => StructConstructor | undefined;
}
