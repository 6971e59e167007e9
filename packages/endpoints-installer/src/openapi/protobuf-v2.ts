import { WireType } from '@bufbuild/protobuf/wire';
import {
  any,
  double,
  encodeMessageOf,
  flag,
  integer,
  type MessageFields,
  type MessageType,
  message,
  named,
  nested,
  of,
  repeated,
  text,
  texts,
  type WriteField,
  wrapped,
} from './protobuf-message.js';

/**
 * Encodes an OpenAPI 2.0 document in protobuf, the only form that client-go's discovery client accepts. Members without
 * a field in the format are left out, such as `oneOf` of another server's schema.
 *
 * Upstream: github.com/google/gnostic-models/openapiv2/OpenAPIv2.proto
 */
export function encodeDocumentV2(document: unknown): Generator<void, Uint8Array> {
  return encodeMessageOf(documentType, document);
}

const info = message(() => ({ title: [1, text], version: [2, text], description: [3, text] }), 7);

const constraints = (from: number): MessageFields => ({
  maximum: [from, double],
  exclusiveMaximum: [from + 1, flag],
  minimum: [from + 2, double],
  exclusiveMinimum: [from + 3, flag],
  maxLength: [from + 4, integer],
  minLength: [from + 5, integer],
  pattern: [from + 6, text],
  maxItems: [from + 7, integer],
  minItems: [from + 8, integer],
  uniqueItems: [from + 9, flag],
});

const schema: MessageType = message(
  () => ({
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    ...constraints(7),
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, texts],
    enum: [20, repeated(any)],
    additionalProperties: [21, additionalProperties],
    type: [22, wrapped(1, texts)],
    items: [23, wrapped(1, repeated(of(schema)))],
    allOf: [24, repeated(of(schema))],
    properties: [25, wrapped(1, named(of(schema)))],
    discriminator: [26, text],
    readOnly: [27, flag],
    externalDocs: [29, of(externalDocs)],
    example: [30, any],
  }),
  31,
);

const externalDocs = message(() => ({ description: [1, text], url: [2, text] }), 3);

const additionalProperties: WriteField = nested((writer, value) => {
  if (typeof value === 'boolean') writer.tag(2, WireType.Varint).bool(value);
  else of(schema)(writer, 1, value);
});

const bodyParameter = message(
  () => ({ description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, of(schema)] }),
  6,
);
/** The fields of a value that is no schema, from the number of its type on. */
const simple = (from: number): MessageFields => ({
  type: [from, text],
  format: [from + 1, text],
  items: [from + 2, of(items)],
  collectionFormat: [from + 3, text],
  default: [from + 4, any],
  ...constraints(from + 5),
  enum: [from + 15, repeated(any)],
  multipleOf: [from + 16, double],
});
const items: MessageType = message(() => simple(1), 18);
const header = message(() => ({ ...simple(1), description: [18, text] }), 19);
const placed: MessageFields = { required: [1, flag], in: [2, text], description: [3, text], name: [4, text] };
/** In a query or a form. */
const queryParameter = message(() => ({ ...placed, allowEmptyValue: [5, flag], ...simple(6) }), 23);
/** In a path or a header. */
const pathParameter = message(() => ({ ...placed, ...simple(5) }), 22);
const reference = message(() => ({ $ref: [1, text], description: [2, text] }));

/** The alternative of a parameter is determined by its `in`. */
const parameter: WriteField = nested((writer, value) => {
  const place = placeOf(value);
  if (place === 'body') of(bodyParameter)(writer, 1, value);
  else if (place === 'header') wrapped(1, of(pathParameter))(writer, 2, value);
  else if (place === 'formData') wrapped(2, of(queryParameter))(writer, 2, value);
  else if (place === 'path') wrapped(4, of(pathParameter))(writer, 2, value);
  else wrapped(3, of(queryParameter))(writer, 2, value);
});

function placeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'in' in value ? value.in : undefined;
}

function isReference(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$ref' in value;
}

const parameterOrReference: WriteField = nested((writer, value) => {
  if (isReference(value)) of(reference)(writer, 2, value);
  else parameter(writer, 1, value);
});

const response = message(
  () => ({
    description: [1, text],
    schema: [2, wrapped(1, of(schema))],
    headers: [3, wrapped(1, named(of(header)))],
    examples: [4, wrapped(1, named(any))],
  }),
  5,
);

const responseOrReference: WriteField = nested((writer, value) => {
  if (isReference(value)) of(reference)(writer, 2, value);
  else of(response)(writer, 1, value);
});

/** Extensions of the whole are behind the responses, which have no other form. */
const responses: WriteField = nested((writer, value) => {
  named(responseOrReference, (name) => !name.startsWith('x-'))(writer, 1, value);
  named(any, (name) => name.startsWith('x-'))(writer, 2, value);
});

const securityRequirement: WriteField = wrapped(1, named(nested((writer, value) => texts(writer, 1, value))));

const operation = message(
  () => ({
    tags: [1, texts],
    summary: [2, text],
    description: [3, text],
    externalDocs: [4, of(externalDocs)],
    operationId: [5, text],
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, repeated(parameterOrReference)],
    responses: [9, responses],
    schemes: [10, texts],
    deprecated: [11, flag],
    security: [12, repeated(securityRequirement)],
  }),
  13,
);

const pathItem = message(
  () => ({
    $ref: [1, text],
    get: [2, of(operation)],
    put: [3, of(operation)],
    post: [4, of(operation)],
    delete: [5, of(operation)],
    options: [6, of(operation)],
    head: [7, of(operation)],
    patch: [8, of(operation)],
    parameters: [9, repeated(parameterOrReference)],
  }),
  10,
);

const apiKeySecurity = message(() => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }), 5);

const documentType = message(
  () => ({
    swagger: [1, text],
    info: [2, of(info)],
    paths: [8, wrapped(2, named(of(pathItem)))],
    definitions: [9, wrapped(1, named(of(schema)))],
    parameters: [10, wrapped(1, named(parameter))],
    security: [12, repeated(securityRequirement)],
    securityDefinitions: [13, wrapped(1, named(wrapped(2, of(apiKeySecurity))))],
  }),
  16,
);
