import { CONVERTED_VALUES } from './converted-values.ts';
import {
  definitionName,
  type FieldFact,
  type KindFact,
  marker,
  shortGoName,
  type TypeFact,
  type TypeRef,
} from './facts.ts';
import { kindOf, locate, type ModuleContext, qualified, use } from './module-context.ts';
import { SCHEMA_OR, SPECIAL_TYPES } from './special-types.ts';

/** The schema of one type as a constant, or nothing for types that are written where they are used. */
export function writeSchema(context: ModuleContext, name: string, fact: TypeFact): string {
  const go = `${context.module.pkg}.${name}`;
  if (go in SPECIAL_TYPES || name in SCHEMA_OR) return '';
  if (fact.k === 'scalar') return isEnum(fact) ? enumSchema(context, name, go, enumValues(go, fact)) : '';
  if (fact.k === 'list') return '';
  const struct = structSchema(context, go, fact);
  const kind = kindOf(context, go);
  if (kind === undefined) {
    context.typeNames.add('StructSchema');
    return `export const ${name}: StructSchema = ${struct};\n`;
  }
  return kindSchema(context, kind, struct);
}

/** A kind on a struct, its own or another's. */
export function kindSchema(context: ModuleContext, kind: KindFact, struct: string): string {
  context.typeNames.add('KindSchema');
  const gvk = JSON.stringify([kind.group, kind.version, kind.kind]);
  const facts = kindFacts(kind);
  const tail = facts === '{}' ? '' : `, ${facts}`;
  return `export const ${kind.kind}: KindSchema<${kind.kind}> = ${pure(context, 'defineKind')}(${gvk}, ${struct}${tail});\n`;
}

function kindFacts(kind: KindFact): string {
  const replacement = kind.replacement?.split('/');
  const facts = {
    list: kind.list,
    item: kind.isList === true ? kind.itemKind : undefined,
    resource:
      kind.resource === undefined
        ? undefined
        : [kind.resource, kind.namespaced === true ? 'namespaced' : 'cluster', verbs(kind.clientMethods ?? [])],
    introduced: kind.introduced,
    deprecated: kind.deprecated,
    removed: kind.removed,
    replacement,
  };
  return JSON.stringify(facts);
}

const VERBS = ['Create', 'Delete', 'DeleteCollection', 'Get', 'List', 'Patch', 'Update', 'Watch'];

function verbs(methods: readonly string[]): string {
  return VERBS.filter((verb) => methods.includes(verb))
    .map((verb) => verb.toLowerCase())
    .join(' ');
}

/**
 * A type whose values OpenAPI lists. Only its marker tells: Go constants of a type are not all of its values.
 *
 * Upstream: isEnumType in k8s.io/kube-openapi/pkg/generators/enum.go
 */
function isEnum(fact: TypeFact | undefined): boolean {
  return fact?.k === 'scalar' && fact.markers?.includes('enum') === true;
}

function enumValues(go: string, { enum: values = CONVERTED_VALUES[go] }: TypeFact): readonly string[] {
  if (values === undefined) throw new Error(`no values for the enum ${go}`);
  return values;
}

function enumSchema(context: ModuleContext, name: string, go: string, values: readonly string[]): string {
  context.typeNames.add('ScalarSchema');
  const sorted = [...values].sort();
  return `export const ${name}: ScalarSchema = ${pure(context, 'named')}('${shortGoName(go)}', ${JSON.stringify(sorted)});\n`;
}

function structSchema(context: ModuleContext, go: string, fact: TypeFact): string {
  const fields = (fact.fields ?? []).filter((field) => field.skip !== true);
  const lines = fields.map((field) => `  ${fieldTuple(context, go, field)},\n`).join('');
  const body = lines === '' ? '() => []' : `() => [\n${lines}]`;
  const extras = structExtras(fact);
  const tail = extras === '{}' ? '' : `, ${extras}`;
  return `${pure(context, 'struct')}('${definitionName(go)}', '${shortGoName(go)}', ${body}${tail})`;
}

function structExtras(fact: TypeFact): string {
  const unions = fact.smdUnions?.map((union) => ({
    discriminator: union.Discriminator ?? undefined,
    fields: Object.fromEntries(union.Fields.map((field) => [field.FieldName, field.DiscriminatorValue])),
  }));
  return JSON.stringify({
    mapType: marker(fact.markers, 'structType'),
    protobuf: fact.proto === undefined ? false : undefined,
    unions,
  });
}

function fieldTuple(context: ModuleContext, struct: string, field: FieldFact): string {
  const name = field.inline === true ? '' : (field.json ?? '');
  const flags = fieldFlags(context, field);
  const extras = fieldExtras(struct, field);
  const parts = [JSON.stringify(name), String(field.pb?.n ?? 0), fieldSchema(context, field)];
  if (flags !== '0' || extras !== '{}') parts.push(flags);
  if (extras !== '{}') parts.push(extras);
  return `[${parts.join(', ')}]`;
}

function fieldFlags(context: ModuleContext, field: FieldFact): string {
  const flags: string[] = [];
  if (field.omitempty === true) flags.push('OMIT_EMPTY');
  if (field.omitzero === true) flags.push('OMIT_ZERO');
  if (field.t.ptr === true) flags.push('POINTER');
  if (field.inline === true) flags.push('INLINE');
  if (field.omitempty !== true && field.markers?.includes('optional') === true) flags.push('OPTIONAL');
  if (field.omitempty === true && field.markers?.includes('required') === true) flags.push('REQUIRED');
  for (const flag of flags) use(context, flag);
  return flags.length === 0 ? '0' : flags.join(' | ');
}

/** Fields of which validation or a default asks whether they are nil: an empty list is something else there. */
const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'k8s.io/api/autoscaling/v2.HPAScalingRules.policies',
  ...['default', 'defaultRequest'].map((list) => `k8s.io/api/core/v1.LimitRangeItem.${list}`),
  'k8s.io/api/core/v1.PodSecurityContext.supplementalGroups',
  'k8s.io/api/core/v1.ResourceRequirements.claims',
  'k8s.io/api/networking/v1.NetworkPolicySpec.policyTypes',
  ...['v1', 'v1beta1', 'v1beta2'].flatMap((version) => [
    ...['ints', 'bools', 'strings', 'versions'].map((list) => `k8s.io/api/resource/${version}.DeviceAttribute.${list}`),
    ...['devices', 'sharedCounters'].map((list) => `k8s.io/api/resource/${version}.ResourceSliceSpec.${list}`),
  ]),
  ...['selectors', 'tolerations'].map((list) => `k8s.io/api/resource/v1beta1.DeviceRequest.${list}`),
  ...['v1', 'v1beta1'].flatMap((version) =>
    [
      ...['allOf', 'oneOf', 'anyOf', 'enum', 'definitions', 'dependencies', 'patternProperties'],
      ...['required', 'items', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'],
    ].map((name) => `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/${version}.JSONSchemaProps.${name}`),
  ),
]);

function fieldExtras(struct: string, field: FieldFact): string {
  return JSON.stringify({
    patchStrategy: field.patchStrategy?.split(','),
    patchMergeKey: field.patchMergeKey,
    default: declaredDefault(field),
    featureGates: featureGates(field),
    keptWhenEmpty: KEPT_WHEN_EMPTY.has(`${struct}.${field.json}`) || undefined,
    mapType:
      field.t.k === 'ref' ? (marker(field.markers, 'mapType') ?? marker(field.markers, 'structType')) : undefined,
  });
}

/** The resolved default: a marker may name a constant, whose value the structured-merge-diff schema has. */
function declaredDefault(field: FieldFact): unknown {
  const text = marker(field.markers, 'default');
  if (text === undefined) return undefined;
  return text.startsWith('ref(') ? field.smd?.default : JSON.parse(text);
}

function featureGates(field: FieldFact): string[] | undefined {
  const gates = (field.markers ?? []).flatMap((text) =>
    text.startsWith('featureGate=') ? text.slice('featureGate='.length).split(',') : [],
  );
  return gates.length === 0 ? undefined : [...new Set(gates.map((gate) => gate.trim()))];
}

function fieldSchema(context: ModuleContext, field: FieldFact): string {
  const { t } = field;
  if (t.k === 'list' && t.elem !== undefined) return namedList(context, t, listSchema(context, field, t.elem));
  const schema = schemaOf(context, t);
  const listType = marker(field.markers, 'listType');
  if (t.k === 'bytes' && listType !== undefined) {
    return `${use(context, 'constrained')}(${schema}, { listType: '${listType}' })`;
  }
  const mapType = marker(field.markers, 'mapType');
  if (t.k !== 'map' || mapType === undefined) return schema;
  return `${use(context, 'constrained')}(${schema}, { mapType: '${mapType}' })`;
}

function listSchema(context: ModuleContext, field: FieldFact, element: TypeRef): string {
  const listType = marker(field.markers, 'listType') ?? marker(field.markers, 'k8s:listType');
  const keys = (field.markers ?? [])
    .filter((text) => /^(k8s:)?listMapKey=/.test(text))
    .map((text) => text.slice(text.indexOf('=') + 1));
  const kind =
    listType === 'map' ? JSON.stringify([...new Set(keys)]) : listType === undefined ? undefined : `'${listType}'`;
  const args = [schemaOf(context, element), ...(kind === undefined ? [] : [kind])];
  return `${use(context, 'list')}(${args.join(', ')})`;
}

/** A list of a type with a name of its own, which messages show. */
function namedList(context: ModuleContext, { go }: TypeRef, schema: string): string {
  return go === undefined ? schema : `${use(context, 'constrained')}(${schema}, { goName: '${shortGoName(go)}' })`;
}

function schemaOf(context: ModuleContext, t: TypeRef): string {
  switch (t.k) {
    case 'bytes':
      return use(context, 'BYTES');
    case 'any':
      return use(context, 'ANY');
    case 'list':
      return `${use(context, 'list')}(${schemaOf(context, t.elem ?? t)})`;
    case 'map':
      return mapSchema(context, t);
    case 'scalar':
      return scalarSchema(context, t);
    case 'ref':
      return refSchema(context, t.ref ?? '');
  }
}

function mapSchema(context: ModuleContext, t: TypeRef): string {
  const args = [schemaOf(context, t.elem ?? t)];
  const keyName = t.key?.base === undefined ? undefined : shortGoName(t.key.go ?? '');
  if (t.go !== undefined) args.push(`'${shortGoName(t.go)}'`);
  else if (keyName !== undefined) args.push('undefined', `'${keyName}'`);
  return `${use(context, 'map')}(${args.join(', ')})`;
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'STRING',
  bool: 'BOOL',
  int32: 'INT32',
  int64: 'INT64',
  float64: 'FLOAT64',
};

function scalarSchema(context: ModuleContext, t: TypeRef): string {
  if (t.base === undefined) return use(context, SCALARS[t.go ?? ''] ?? unknownScalar(t));
  if (t.base !== 'string') return unknownScalar(t);
  const go = t.go ?? '';
  if (isEnum(context.facts.types[go])) return qualified(context, go, 'value');
  return `${use(context, 'named')}('${shortGoName(go)}')`;
}

function unknownScalar(t: TypeRef): never {
  throw new Error(`no schema for the scalar ${JSON.stringify(t)}`);
}

function refSchema(context: ModuleContext, go: string): string {
  const special = SPECIAL_TYPES[go];
  if (special?.schema === 'JSON_VALUE') {
    return `${use(context, 'constrained')}(${use(context, 'JSON_VALUE')}, { name: '${definitionName(go)}' })`;
  }
  if (special !== undefined) return use(context, special.schema);
  const { name } = locate(context, go);
  const fact = context.facts.types[go];
  const alternative = SCHEMA_OR[name];
  if (alternative !== undefined) {
    return `${use(context, 'schemaOr')}('${definitionName(go)}', '${shortGoName(go)}', '${alternative.alternative}', JSONSchemaProps)`;
  }
  if (fact?.k === 'list') {
    return `${use(context, 'wrappedList')}('${shortGoName(go)}', ${schemaOf(context, fact.elem ?? { k: 'any' })})`;
  }
  const expression = qualified(context, go, 'value');
  return kindOf(context, go) === undefined ? expression : `${expression}.schema`;
}

/** A call without effect: a bundler may drop it when the constant is not used. */
function pure(context: ModuleContext, name: string): string {
  return `/* @__PURE__ */ ${use(context, name)}`;
}
