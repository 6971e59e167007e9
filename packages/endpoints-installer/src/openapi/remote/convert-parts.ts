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
 * A schema of version 3. A reference beside other members goes into `allOf`. `schema` has its empty lists, which count as such.
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

/** A path; undefined operations stay so. Upstream: ConvertPathItem */
export function convertPathItem({ parameters, ...item }: Members): Members {
  const members = Object.entries(item).map(([name, member]) => {
    const isOperation = isMembers(member) && name !== '$ref' && !isExtension(name);
    return [name, isOperation ? convertOperation(member) : member] as const;
  });
  return { ...Object.fromEntries(members), ...listed('parameters', listOf(parameters).map(convertParameter)) };
}

/** Upstream: ConvertOperation */
function convertOperation(operation: Members): Members {
  const { parameters, responses, consumes, produces, externalDocs } = operation;
  const all = listOf(parameters);
  const body = all.findLast(isBody);
  const kept = picked(operation, ['description', 'summary', 'operationId', 'deprecated', 'tags']);
  return {
    ...kept,
    ...docsOf(externalDocs),
    ...listed('parameters', all.filter((one) => !isBody(one)).map(convertParameter)),
    ...(body && { requestBody: contentOf(body['schema'], consumes) }),
    ...(isMembers(responses) && { responses: convertResponses(responses, produces) }),
  };
}

function isBody({ name, schema }: Members): boolean {
  return name === 'body' && schema !== undefined;
}

function convertResponses(responses: Members, produces: unknown): Members {
  const members = Object.entries(responses).map(([status, one]) => {
    return [status, isMembers(one) && !isExtension(status) ? convertResponse(one, produces) : one] as const;
  });
  return Object.fromEntries(members);
}

/** Upstream: ConvertResponse */
export function convertResponse(response: Members, produces: unknown): Members {
  const content = response['schema'] === undefined ? {} : contentOf(response['schema'], produces);
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

function contentOf(schema: unknown, types: unknown): Members {
  const all = Array.isArray(types) ? types : [];
  if (all.length === 0) return {};
  const made = convertSchema(schema);
  return { content: Object.fromEntries(all.map((type: unknown) => [String(type), { schema: made }])) };
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
