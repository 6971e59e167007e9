import {
  ANY,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  parameter,
  STRING,
  structOf,
  TIMESTAMP,
  TYPE,
  typeOf,
  UINT,
} from '../types/cel-type.js';

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  /** True for `a.f(b)`: the first argument is the receiver. */
  readonly member: boolean;
  readonly arguments: readonly CelType[];
  readonly result: CelType;
  /** The names of its type parameters. */
  readonly parameters: readonly string[];
}

/** The functions of an environment, by name. The order of the overloads is that in which the checker tries them. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/**
 * Signatures by name of the function: `id: (int, int) -> int` for a function, `id: string.(int) -> string` for a
 * member. A type of one capital letter is a parameter.
 */
export type Signatures = Readonly<Record<string, readonly string[]>>;

/** Reads the signatures of libraries. Overloads of one name in several libraries are joined in their order. */
export function declareFunctions(...libraries: readonly Signatures[]): Functions {
  const functions = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [name, signatures] of Object.entries(library)) {
      const overloads = functions.get(name) ?? [];
      overloads.push(...signatures.map(readSignature));
      functions.set(name, overloads);
    }
  }
  return functions;
}

function readSignature(text: string): Overload {
  const [, id = '', receiver, args = '', result = ''] = /^(\S+): (?:(.+?)\.)?\((.*)\) -> (.*)$/.exec(text) ?? [];
  const types = splitTypes(args).map(readType);
  const all = receiver === undefined ? types : [readType(receiver), ...types];
  const resultType = readType(result);
  const parameters = new Set([...all, resultType].flatMap(parameterNames));
  return { id, member: receiver !== undefined, arguments: all, result: resultType, parameters: [...parameters] };
}

const SIMPLE: ReadonlyMap<string, CelType> = new Map([
  ['any', ANY],
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['duration', DURATION],
  ['dyn', DYN],
  ['int', INT],
  ['net.CIDR', opaque('net.CIDR')],
  ['net.IP', opaque('net.IP')],
  ['null', NULL],
  ['string', STRING],
  ['timestamp', TIMESTAMP],
  ['type', TYPE],
  ['uint', UINT],
]);

/** Reads a type as formatType writes it. */
function readType(text: string): CelType {
  const open = text.indexOf('(');
  if (open < 0) return SIMPLE.get(text) ?? (/^[A-Z]$/.test(text) ? parameter(text) : structOf(text));
  const name = text.slice(0, open);
  const parameters = splitTypes(text.slice(open + 1, -1)).map(readType);
  const [first = DYN, second = DYN] = parameters;
  if (name === 'list') return listOf(first);
  if (name === 'map') return mapOf(first, second);
  return name === 'type' ? typeOf(first) : opaque(name, ...parameters);
}

/** Splits types at the commas that are in no parentheses. */
function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 2;
    }
  }
  return text === '' ? [] : [...parts, text.slice(start)];
}

function parameterNames(type: CelType): readonly string[] {
  return type.kind === 'parameter' ? [type.name] : type.parameters.flatMap(parameterNames);
}
