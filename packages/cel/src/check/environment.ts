import { findMessage, NULL_VALUE } from '../messages/message-types.js';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  parameter,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOf,
  UINT,
} from '../types/cel-type.js';
import type { TypeProvider } from '../types/type-provider.js';
import type { Functions } from './declarations.js';

/** The names that an expression may use. */
export interface CheckEnvironment {
  readonly functions: Functions;
  /** Variables by name. */
  readonly variables: ReadonlyMap<string, CelType>;
  readonly types: TypeProvider;
}

/** The types that every environment names. */
const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map([
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['duration', DURATION],
  ['google.protobuf.Duration', DURATION],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['int', INT],
  ['list', listOf(parameter('A'))],
  ['map', mapOf(parameter('A'), parameter('B'))],
  ['net.CIDR', opaque('net.CIDR')],
  ['net.IP', opaque('net.IP')],
  ['null_type', NULL],
  ['optional_type', opaque('optional_type')],
  ['string', STRING],
  ['timestamp', TIMESTAMP],
  ['type', TYPE],
  ['uint', UINT],
]);

/** Names of types that expressions can be checked with, but that have no value. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['duration', 'timestamp']);

/** The type that is the value of a name in every environment; undefined if it has none. */
export function namedType(name: string): CelType | undefined {
  return WITHOUT_VALUE.has(name) ? undefined : (TYPE_NAMES.get(name) ?? valuedMessage(name));
}

/** Messages are no values, except for those that stay messages. */
function valuedMessage(name: string): CelType | undefined {
  const type = findMessage(name)?.type;
  return type?.kind === 'struct' ? type : undefined;
}

/** A name that an expression uses as a value: its type, and the type that it is, if it names one. */
export interface Named {
  readonly name: string;
  readonly type: CelType;
}

/** Names of an environment, with those that comprehensions add. */
export class Scope {
  readonly #environment: CheckEnvironment;
  readonly #parent: Scope | undefined;
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(environment: CheckEnvironment, variables: ReadonlyMap<string, CelType>, parent?: Scope) {
    this.#environment = environment;
    this.#variables = variables;
    this.#parent = parent;
  }

  /** A scope inside this one. */
  enter(variables: ReadonlyMap<string, CelType>): Scope {
    return new Scope(this.#environment, variables, this);
  }

  /**
   * Finds a variable, a constant or the name of a type. A leading dot, which asks for the outermost name, changes nothing
   * without containers.
   */
  find(written: string): Named | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const type = scope.#variables.get(name);
      if (type !== undefined) return { name, type };
    }
    if (name === NULL_VALUE) return { name, type: INT };
    const type = this.#environment.types.findType(name) ?? TYPE_NAMES.get(name) ?? findMessage(name)?.type;
    return type === undefined ? undefined : { name, type: typeOf(type) };
  }
}
