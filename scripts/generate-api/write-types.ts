import type { FieldFact, TypeFact, TypeRef } from './facts.ts';
import { locate, type ModuleContext, qualified } from './module-context.ts';
import { SCHEMA_OR, SHARED_TYPES, SPECIAL_TYPES } from './special-types.ts';

const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';

/** The TypeScript type of a struct, or nothing for types that have none of their own. */
export function writeType(context: ModuleContext, name: string, fact: TypeFact): string {
  const go = `${context.module.pkg}.${name}`;
  if (go in SPECIAL_TYPES || fact.k === 'scalar') return '';
  if (context.module.pkg === META && SHARED_TYPES.includes(name)) {
    context.sharedTypes.add(`${name} as Shared${name}`);
    return `export type ${name} = Shared${name};\n`;
  }
  const alternative = SCHEMA_OR[name];
  if (alternative !== undefined) return `export type ${name} = ${alternative.type('JSONSchemaProps')};\n`;
  if (fact.k === 'list') return `export type ${name} = ${elementType(context, fact.elem)}[];\n`;
  const kind = context.module.kinds.find((candidate) => candidate.go === go);
  const lines = properties(context, fact.fields ?? [], kind !== undefined);
  if (kind?.isList === true) {
    return typeAlias(
      name,
      lines.map((line) => line.replace(/^(\s*items: .*) \| null;$/m, '$1;')),
    );
  }
  // A type alias, unlike an interface, fits KubeObject's index signature.
  return kind === undefined ? `export interface ${name} {\n${lines.join('')}}\n` : typeAlias(name, lines);
}

function typeAlias(name: string, lines: readonly string[]): string {
  return `export type ${name} = {\n${lines.join('')}};\n`;
}

function properties(context: ModuleContext, fields: readonly FieldFact[], root: boolean): string[] {
  return fields.flatMap((field) => {
    if (field.skip === true) return [];
    if (field.inline !== true) return [property(context, field, root)];
    const embedded = context.facts.types[field.t.ref ?? ''];
    if (field.t.ref === `${META}.TypeMeta`) {
      return ['  apiVersion: string;\n', '  kind: string;\n'].map((line) => (root ? line : line.replace(':', '?:')));
    }
    return properties(context, embedded?.fields ?? [], false);
  });
}

function property(context: ModuleContext, field: FieldFact, root: boolean): string {
  const name = field.json ?? '';
  const nullable =
    zeroIsNull(field) && field.omitzero !== true && !(field.omitempty === true && isEmptyAtZero(field.t));
  const required = (root && name === 'metadata') || isRequired(field);
  return `  ${name.startsWith('$') || name.includes('-') ? `'${name}'` : name}${required ? '' : '?'}: ${typeOf(context, field.t)}${nullable ? ' | null' : ''};\n`;
}

/** A struct by value is always there; anything else is there unless JSON may leave it out. */
function isRequired(field: FieldFact): boolean {
  const byValue =
    field.t.ptr !== true && field.t.k === 'ref' && !(field.t.ref !== undefined && field.t.ref in SPECIAL_TYPES);
  if (byValue && field.omitzero !== true) return true;
  return (
    field.omitempty !== true &&
    field.omitzero !== true &&
    field.t.ptr !== true &&
    field.markers?.includes('optional') !== true
  );
}

function zeroIsNull({ t }: FieldFact): boolean {
  if (t.ptr === true || t.k === 'list' || t.k === 'map' || t.k === 'bytes' || t.k === 'any') return true;
  return t.ref !== undefined && SPECIAL_TYPES[t.ref]?.zeroIsNull === true;
}

/** Go's omitempty drops a zero value of this type; a struct, which times and raw values are, is never empty. */
function isEmptyAtZero(t: TypeRef): boolean {
  return t.ptr === true || t.k !== 'ref';
}

function typeOf(context: ModuleContext, t: TypeRef): string {
  switch (t.k) {
    case 'bytes':
      return 'string';
    case 'any':
      return jsonType(context, 'Json');
    case 'list':
      return `${elementType(context, t.elem)}[]`;
    case 'map':
      return `Record<string, ${typeOf(context, t.elem ?? t)}>`;
    case 'scalar':
      return scalarType(t.base ?? t.go ?? '');
    case 'ref':
      return refType(context, t.ref ?? '');
  }
}

function elementType(context: ModuleContext, t: TypeRef | undefined): string {
  const text = t === undefined ? 'never' : typeOf(context, t);
  return text.includes('|') ? `(${text})` : text;
}

function scalarType(base: string): string {
  if (base === 'string') return 'string';
  if (base === 'bool') return 'boolean';
  return base === 'int64' ? 'number | bigint' : 'number';
}

function refType(context: ModuleContext, go: string): string {
  const special = SPECIAL_TYPES[go];
  if (special !== undefined) return jsonType(context, special.type);
  const { module, name } = locate(context, go);
  if (module.pkg === META && SHARED_TYPES.includes(name)) {
    if (module !== context.module) context.sharedTypes.add(name);
    return name;
  }
  return qualified(context, go, 'type');
}

function jsonType(context: ModuleContext, type: string): string {
  if (type === 'Json' || type === 'JsonObject') context.sharedTypes.add(type);
  return type;
}
