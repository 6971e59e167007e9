import { isMembers } from '@apiserver/apimachinery/json';
import { readSchema } from './spec-fields.js';

type Members = Readonly<Record<string, unknown>>;

const sameRef = (reference: string): string => reference;
/** Members of schemas whose references are converted. The others keep theirs. */
const CONVERTED = new Set(['properties', 'items', 'additionalProperties', 'additionalItems']);
const WALKED = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'patternProperties', 'definitions']);
/** Members that have schemas by name. */
const NAMED = new Set(['properties', 'patternProperties', 'definitions']);
const DEFINITIONS = '#/definitions/';

/**
 * A schema of version 3. A reference beside other members goes into `allOf`. `schema` has its empty lists, which count
 * as such.
 * Upstream: ConvertSchema of k8s.io/kube-openapi/pkg/openapiconv, WrapRefs of …/pkg/builder3/util
 */
export function convertSchema(schema: unknown): unknown {
  return readSchema(converted(schema, true), { ref: sameRef, keepsEmpty: false });
}

function converted(schema: unknown, convertsRefs: boolean): unknown {
  if (!isMembers(schema)) return schema;
  const { $ref, ...rest } = schema;
  const made = Object.entries(rest).map(
    ([name, member]) => [name, convertedMember(name, member, convertsRefs)] as const,
  );
  if (typeof $ref !== 'string') return Object.fromEntries(made);
  const reference = { $ref: convertsRefs ? convertedRef($ref) : $ref };
  return made.length === 0 ? reference : { ...Object.fromEntries(made), allOf: [reference] };
}

/** A scalar under `items` has been read as null, and is to be read so again. */
const SCALAR = 0;

function convertedMember(name: string, member: unknown, convertsRefs: boolean): unknown {
  if (name === 'items' && member === null) return SCALAR;
  const converts = convertsRefs && CONVERTED.has(name);
  if (!CONVERTED.has(name) && !WALKED.has(name)) return member;
  if (Array.isArray(member)) return member.map((one: unknown) => converted(one, converts));
  if (!isMembers(member) || !NAMED.has(name)) return converted(member, converts);
  return Object.fromEntries(Object.entries(member).map(([key, one]) => [key, converted(one, converts)]));
}

function convertedRef(reference: string): string {
  const index = reference.indexOf(DEFINITIONS);
  return index === -1 ? reference : `#/components/schemas/${reference.slice(index + DEFINITIONS.length)}`;
}

/** The length that the schemas of a document may still take, once for each of their media types. */
export class ContentBudget {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  /** Throws a TypeError if nothing is left. */
  spend(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw new TypeError('the document is too large');
  }
}

/** A path; undefined operations stay so. Upstream: ConvertPathItem */
export function convertPathItem({ parameters, ...item }: Members, budget: ContentBudget): Members {
  const members = Object.entries(item).map(([name, member]) => {
    const isOperation = isMembers(member) && name !== '$ref' && !isExtension(name);
    return [name, isOperation ? convertOperation(member, budget) : member] as const;
  });
  return { ...Object.fromEntries(members), ...listed('parameters', listOf(parameters).map(convertParameter)) };
}

/** Upstream: ConvertOperation */
function convertOperation(operation: Members, budget: ContentBudget): Members {
  const { parameters, responses, consumes, produces, externalDocs } = operation;
  const all = listOf(parameters);
  const body = all.findLast(isBody);
  const kept = picked(operation, ['description', 'summary', 'operationId', 'deprecated', 'tags']);
  return {
    ...kept,
    ...docsOf(externalDocs),
    ...listed('parameters', all.filter((one) => !isBody(one)).map(convertParameter)),
    ...(body && { requestBody: contentOf(body['schema'], consumes, budget) }),
    ...(isMembers(responses) && { responses: convertResponses(responses, produces, budget) }),
  };
}

function isBody({ name, schema }: Members): boolean {
  return name === 'body' && schema !== undefined;
}

function convertResponses(responses: Members, produces: unknown, budget: ContentBudget): Members {
  const members = Object.entries(responses).map(([status, one]) => {
    return [status, isMembers(one) && !isExtension(status) ? convertResponse(one, produces, budget) : one] as const;
  });
  return Object.fromEntries(members);
}

/** Upstream: ConvertResponse */
export function convertResponse(response: Members, produces: unknown, budget: ContentBudget): Members {
  const content = response['schema'] === undefined ? {} : contentOf(response['schema'], produces, budget);
  return { ...picked(response, ['description']), ...refOf(response, 'responses'), ...content };
}

/** Upstream: ConvertParameter */
function convertParameter(parameter: Members): Members {
  const { schema, type = '', format, uniqueItems } = parameter;
  const simple = { type, ...(format ? { format } : {}), ...(uniqueItems ? { uniqueItems } : {}) };
  return {
    ...picked(parameter, ['name', 'description', 'in', 'required', 'allowEmptyValue']),
    ...refOf(parameter, 'parameters'),
    schema: schema === undefined ? simple : convertSchema(schema),
  };
}

/** Upstream: ConvertSecurityScheme */
export function convertSecurityScheme(scheme: Members): Members {
  const { flow, authorizationUrl, tokenUrl, scopes } = scheme;
  const urls = { ...(authorizationUrl ? { authorizationUrl } : {}), ...(tokenUrl ? { tokenUrl } : {}) };
  const hasScopes = isMembers(scopes) && Object.keys(scopes).length > 0;
  const flows = typeof flow === 'string' ? { flows: { [flow]: { ...urls, ...(hasScopes && { scopes }) } } } : {};
  return { ...picked(scheme, ['description', 'type', 'name', 'in']), ...flows };
}

/** Upstream: ConvertExternalDocumentation */
export function docsOf(docs: unknown): Members {
  if (!isMembers(docs)) return {};
  const { description, url = '' } = docs;
  return { externalDocs: { ...(description ? { description } : {}), url } };
}

/** The written schema is repeated for each type: a part of the usual size may stand for hundreds of megabytes. */
function contentOf(schema: unknown, types: unknown, budget: ContentBudget): Members {
  const all = new Set(Array.isArray(types) ? types.map(String) : []);
  if (all.size === 0) return {};
  const made = convertSchema(schema);
  const { length } = JSON.stringify(made) ?? '';
  for (const type of all) budget.spend(type.length + length);
  return { content: Object.fromEntries([...all].map((type) => [type, { schema: made }])) };
}

function refOf({ $ref }: Members, kind: string): Members {
  return typeof $ref === 'string' ? { $ref: $ref.replace(`#/${kind}/`, `#/components/${kind}/`) } : {};
}

/** Some members that are not empty, and extensions. */
function picked(members: Members, names: readonly string[]): Members {
  const kept = Object.entries(members).filter(
    ([name, value]) => isExtension(name) || (names.includes(name) && !(Array.isArray(value) && value.length === 0)),
  );
  return Object.fromEntries(kept);
}

function isExtension(name: string): boolean {
  return /^x-/i.test(name);
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isMembers) : [];
}

function listed(name: string, values: readonly unknown[]): Members {
  return values.length === 0 ? {} : { [name]: values };
}
