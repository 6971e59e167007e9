import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { ParseError } from '@apiserver/apimachinery/text';

/** The target field of a path. */
export interface ResolvedField {
  readonly path: FieldPath;
  /** The first name of the path; empty for the empty path. */
  readonly root: string;
  /** Empty for an additional property of any form. */
  readonly schema: JSONSchemaProps;
}

/** Delimiters, quoted names and names. A backslash before a quote escapes it, whatever is before the backslash. */
const TOKENS = /[.[\]]|'.*?(?<!\\)'|'.*|[^.[\]]+/gsu;

const NO_FIELD = 'does not refer to a valid field';
const TOO_SHORT = 'unexpected end of JSON path';

/**
 * The field of a schema that a path of names refers to: `.spec.labels`, with subscripts also `.spec.labels['a.b']`.
 * Throws a ParseError with upstream's message for an invalid path, such as one with an index.
 *
 * Upstream: ValidFieldPath of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
export function resolveFieldPath(
  jsonPath: string,
  props: JSONSchemaProps,
  subscripts: 'subscripts' | 'names',
): ResolvedField {
  const tokens = (jsonPath.match(TOKENS) ?? []).values();
  const next = (): string => {
    const { value, done } = tokens.next();
    if (done === true) throw new ParseError(TOO_SHORT);
    return value;
  };
  let field: ResolvedField = { path: FieldPath.none, root: '', schema: props };
  for (const delimiter of tokens) {
    if (delimiter === '.') {
      field = memberOf(field, next());
      continue;
    }
    if (delimiter !== '[') throw new ParseError(`expected [ or . but got: ${delimiter}`);
    if (subscripts === 'names') throw new ParseError('array notation is not allowed');
    field = memberOf(field, unquoted(next()));
    const end = next();
    if (end !== ']') throw new ParseError(`expected ] but got ${end}`);
  }
  return field;
}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new ParseError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replace(/\\./g, (escaped) => {
    const character = ESCAPES.get(escaped.charAt(1));
    if (character === undefined) throw new ParseError(`invalid string literal: invalid escape char ${escaped}`);
    return character;
  });
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

function memberOf({ path, root, schema }: ResolvedField, name: string): ResolvedField {
  const { properties = {}, additionalProperties: rest } = schema;
  if (Object.keys(properties).length > 0) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) throw new ParseError(NO_FIELD);
    return { path: path.child(name), root: root || name, schema: property };
  }
  if (rest === undefined) throw new ParseError(NO_FIELD);
  return { path: path.key(name), root: root || name, schema: typeof rest === 'object' ? rest : {} };
}
