import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { ParseError } from '@apiserver/apimachinery/text';

/** The target field of a path. */
export interface ResolvedField {
  readonly path: FieldPath;
  /** The first name of the path; empty for the empty path. */
  readonly root: string;
  readonly schema: JSONSchemaProps;
}

/** Delimiters, quoted names and names. */
const TOKENS = /[.[\]]|'(?:[^'\\]|\\.|\\$)*'?|[^.[\]]+/gsu;

const NO_FIELD = 'does not refer to a valid field';

/**
 * The field of a schema that a path of names refers to. Throws a ParseError with upstream's message for an invalid
 * path, such as one with an index.
 *
 * Upstream: ValidFieldPath of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go, without array
 * notation
 */
export function resolveFieldPath(jsonPath: string, props: JSONSchemaProps): ResolvedField {
  const tokens = jsonPath.match(TOKENS) ?? [];
  let field: ResolvedField = { path: FieldPath.none, root: '', schema: props };
  for (let i = 0; i < tokens.length; i += 2) {
    const delimiter = tokens[i] ?? '';
    if (delimiter === '[') throw new ParseError('array notation is not allowed');
    if (delimiter !== '.') throw new ParseError(`expected [ or . but got: ${delimiter}`);
    const name = tokens[i + 1];
    if (name === undefined) throw new ParseError('unexpected end of JSON path');
    field = memberOf(field, name);
  }
  return field;
}

function memberOf({ path, root, schema }: ResolvedField, name: string): ResolvedField {
  const { properties = {}, additionalProperties: rest } = schema;
  if (Object.keys(properties).length > 0) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) throw new ParseError(NO_FIELD);
    return { path: path.child(name), root: root || name, schema: property };
  }
  if (typeof rest !== 'object') throw new ParseError(NO_FIELD);
  return { path: path.key(name), root: root || name, schema: rest };
}
