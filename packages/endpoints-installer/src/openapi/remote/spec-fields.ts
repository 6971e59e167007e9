import { isMembers } from '@apiserver/apimachinery/json';

/** Treatment of references and of empty lists. */
interface Reading {
  /** The new form of a reference, such as `#/definitions/NAME`. */
  ref(reference: string): string;
  /** Keeps empty lists and maps: objects that differ in them are different. Written documents do not have them. */
  readonly keepsEmpty: boolean;
}

/** The form of a value that Go's type has; undefined for its zero value. Throws a TypeError for another type. */
export type ReadField = (value: unknown, reading: Reading) => unknown;

type Fields = ReadonlyMap<string, ReadField>;

function typed(name: string, isValid: (value: unknown) => boolean): ReadField {
  return (value) => {
    if (value === null || value === undefined) return undefined;
    if (!isValid(value)) throw new TypeError(`${name} is expected`);
    return value;
  };
}

const string = typed('a string', (value) => typeof value === 'string');
const boolean = typed('a boolean', (value) => typeof value === 'boolean');
const double = typed('a number', (value) => typeof value === 'number');
const integer = typed('an integer', Number.isInteger);
const text: ReadField = (value, reading) => string(value, reading) || undefined;
const flag: ReadField = (value, reading) => boolean(value, reading) || undefined;

/** Any value, with the names of its objects sorted. */
const any: ReadField = (value) => (value === null ? undefined : sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMembers(value)) return value;
  return sortedObject(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}

function sortedObject(members: (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A value that is left out of written documents if it is "", [] or {}. */
function omitEmpty(read: ReadField): ReadField {
  return (value, reading) => {
    const made = read(value, reading);
    return reading.keepsEmpty || !isEmpty(made) ? made : undefined;
  };
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === '';
  return Object.keys(value).length === 0;
}

/** `zero` stands for a null in the list. */
function elements(read: ReadField, zero: unknown): ReadField {
  return (value, reading) => {
    if (value === null || value === undefined) return undefined;
    if (!Array.isArray(value)) throw new TypeError('a list is expected');
    return value.map((one) => read(one, reading) ?? zero);
  };
}

function list(read: ReadField, zero: unknown): ReadField {
  return omitEmpty(elements(read, zero));
}

function map(read: ReadField, zero: unknown): ReadField {
  return omitEmpty((value, reading) => {
    if (value === null || value === undefined) return undefined;
    const members = membersOf(value).map(([name, member]) => [name, read(member, reading) ?? zero] as const);
    return sortedObject(members);
  });
}

function membersOf(value: unknown): (readonly [string, unknown])[] {
  if (!isMembers(value)) throw new TypeError('an object is expected');
  return Object.entries(value);
}

/** Treatment of undeclared members and of references. */
interface ObjectRules {
  /** Default: extensions. */
  readonly others?: 'all' | 'extensions' | 'none';
  /** `walked`: the merge finds it and renames it. */
  readonly ref?: 'walked' | 'plain';
}

/** An object with declared fields. Null is the object's absence. */
function object(fields: () => Readonly<Record<string, ReadField>>, rules: ObjectRules = {}): ReadField {
  const declared: { fields?: Fields } = {};
  return (value, reading) => {
    if (value === null || value === undefined) return undefined;
    declared.fields ??= new Map(Object.entries(fields()));
    const known = declared.fields;
    const members = membersOf(value).flatMap(([name, member]) => {
      const made = memberOf(name, member, { known, rules, reading });
      return made === undefined ? [] : [[name, made] as const];
    });
    return sortedObject(members);
  };
}

interface MemberContext {
  readonly known: Fields;
  readonly rules: ObjectRules;
  readonly reading: Reading;
}

function memberOf(name: string, value: unknown, { known, rules, reading }: MemberContext): unknown {
  const { ref, others = 'extensions' } = rules;
  if (name === '$ref' && ref !== undefined) return refOf(value, ref === 'walked' ? reading : undefined);
  const read = known.get(name);
  if (read !== undefined) return read(value, reading);
  return others === 'all' || (others === 'extensions' && isExtension(name)) ? sorted(value) : undefined;
}

function refOf(value: unknown, reading: Reading | undefined): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return reading === undefined ? value : reading.ref(value);
}

/** Upstream: IsExtensionKey of k8s.io/kube-openapi/pkg/internal */
function isExtension(name: string): boolean {
  return /^x-/i.test(name);
}

const strings = list(string, '');
const externalDocs = object(() => ({ description: text, url: text }), { others: 'none' });

const validations = {
  maximum: double,
  exclusiveMaximum: flag,
  minimum: double,
  exclusiveMinimum: flag,
  maxLength: integer,
  minLength: integer,
  pattern: text,
  maxItems: integer,
  minItems: integer,
  uniqueItems: flag,
  multipleOf: double,
  enum: list(any, null),
};

/** A text, or several. A list of one text is that text. */
const types: ReadField = (value, reading) => {
  if (typeof value === 'string') return value;
  const made = elements(string, '')(value, reading);
  return Array.isArray(made) && made.length === 1 ? made[0] : made;
};

const schemas = list((value, reading) => readSchema(value, reading), {});
const schemaOrFlag: ReadField = (value, reading) => (typeof value === 'boolean' ? value : readSchema(value, reading));
/** Null stands for a scalar, which upstream ignores. */
const schemaOrList: ReadField = (value, reading) => {
  if (Array.isArray(value)) return elements(readSchema, {})(value, reading);
  return isMembers(value) || value === null ? readSchema(value, reading) : null;
};
/** References in dependencies are not followed, as upstream. */
const dependency: ReadField = (value, { keepsEmpty }) => {
  if (Array.isArray(value)) return value.length === 0 ? null : elements(string, '')(value, { ref, keepsEmpty });
  return isMembers(value) ? readSchema(value, { ref, keepsEmpty }) : null;
};
const ref = (reference: string): string => reference;

/** Upstream: Schema of k8s.io/kube-openapi/pkg/validation/spec */
export const readSchema: ReadField = object(
  () => ({
    id: text,
    description: text,
    type: types,
    nullable: flag,
    format: text,
    title: text,
    default: any,
    ...validations,
    maxProperties: integer,
    minProperties: integer,
    required: strings,
    items: schemaOrList,
    allOf: schemas,
    oneOf: schemas,
    anyOf: schemas,
    not: readSchema,
    properties: map(readSchema, {}),
    patternProperties: map(readSchema, {}),
    definitions: map(readSchema, {}),
    additionalProperties: schemaOrFlag,
    additionalItems: schemaOrFlag,
    dependencies: map(dependency, null),
    discriminator: text,
    readOnly: flag,
    externalDocs,
    example: omitEmpty(any),
    $schema: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
  }),
  { others: 'all', ref: 'walked' },
);

const simpleFields = {
  type: text,
  nullable: flag,
  format: text,
  collectionFormat: text,
  default: omitEmpty(any),
  example: omitEmpty(any),
};
const items: ReadField = object(() => ({ ...validations, ...simpleFields, items }), { ref: 'walked' });

/** Upstream: Parameter of k8s.io/kube-openapi/pkg/validation/spec */
export const readParameter: ReadField = object(
  () => ({
    ...validations,
    ...simpleFields,
    items,
    description: text,
    name: text,
    in: text,
    required: flag,
    schema: readSchema,
    allowEmptyValue: flag,
  }),
  { ref: 'walked' },
);

const parameters = list(readParameter, {});
const header = object(() => ({ ...validations, ...simpleFields, items, description: text }));
const response = object(
  () => ({ description: text, schema: readSchema, headers: map(header, {}), examples: map(any, null) }),
  { ref: 'walked' },
);

/** By status. */
const responses: ReadField = (value, reading) => {
  if (value === null || value === undefined) return undefined;
  const members = membersOf(value).map(([name, member]): readonly [string, unknown] => {
    if (isExtension(name)) return [name, sorted(member)];
    if (name !== 'default' && !/^[+-]?\d+$/.test(name)) throw new TypeError('a status is expected');
    return [name === 'default' ? name : String(Number(name)), response(member, reading) ?? {}];
  });
  return sortedObject(members);
};

const security = list(map(strings, []), {});
const operation = object(() => ({
  description: text,
  consumes: strings,
  produces: strings,
  schemes: strings,
  tags: strings,
  summary: text,
  externalDocs,
  operationId: text,
  deprecated: flag,
  security,
  parameters,
  responses,
}));

/** Upstream: PathItem of k8s.io/kube-openapi/pkg/validation/spec */
export const readPathItem: ReadField = object(
  () => ({
    get: operation,
    put: operation,
    post: operation,
    delete: operation,
    options: operation,
    head: operation,
    patch: operation,
    parameters,
  }),
  { ref: 'plain' },
);

const named = { name: text, url: text };
const info = object(() => ({
  title: text,
  version: text,
  description: text,
  termsOfService: text,
  contact: object(() => ({ ...named, email: text }), { others: 'none' }),
  license: object(() => named, { others: 'none' }),
}));
const securityScheme = object(() => ({
  description: text,
  type: text,
  name: text,
  in: text,
  flow: text,
  authorizationUrl: text,
  tokenUrl: text,
  scopes: map(string, ''),
}));

/** Members of a document that are not merged, but have to be right. Upstream: SwaggerProps */
export const readOthers: ReadField = object(() => ({
  id: text,
  consumes: strings,
  produces: strings,
  schemes: strings,
  swagger: text,
  info,
  host: text,
  basePath: text,
  responses: map(response, {}),
  securityDefinitions: map(securityScheme, null),
  security,
  tags: list(
    object(() => ({ name: text, description: text, externalDocs })),
    {},
  ),
  externalDocs,
}));
