import { WireType } from '@bufbuild/protobuf/wire';
import {
  any,
  double,
  encodeMessageOf,
  flag,
  integer,
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
 * Encodes an OpenAPI 3.0 document in protobuf. Only the fields of this server's documents have numbers here.
 *
 * Upstream: github.com/google/gnostic-models/openapiv3/OpenAPIv3.proto
 */
export function encodeDocumentV3(document: unknown): Generator<void, Uint8Array> {
  return encodeMessageOf(documentType, document);
}

const info = message(() => ({ title: [1, text], description: [2, text], version: [6, text] }), 7);

const reference = message(() => ({ $ref: [1, text], summary: [2, text], description: [3, text] }));

/** The alternatives of a value and a reference to one: the first two fields of every such message. */
function orReference(type: MessageType): WriteField {
  return nested((writer, value) => {
    const isReference = typeof value === 'object' && value !== null && '$ref' in value;
    if (isReference) of(reference)(writer, 2, value);
    else of(type)(writer, 1, value);
  });
}

const schema: MessageType = message(
  () => ({
    nullable: [1, flag],
    externalDocs: [6, of(externalDocs)],
    example: [7, any],
    title: [9, text],
    multipleOf: [10, double],
    maximum: [11, double],
    exclusiveMaximum: [12, flag],
    minimum: [13, double],
    exclusiveMinimum: [14, flag],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, text],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, flag],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, texts],
    enum: [24, repeated(any)],
    type: [25, text],
    allOf: [26, repeated(orReference(schema))],
    oneOf: [27, repeated(orReference(schema))],
    anyOf: [28, repeated(orReference(schema))],
    not: [29, of(schema)],
    items: [30, wrapped(1, orReference(schema))],
    properties: [31, wrapped(1, named(orReference(schema)))],
    additionalProperties: [32, additionalProperties],
    default: [33, defaultValue],
    description: [34, text],
    format: [35, text],
  }),
  36,
);

const externalDocs = message(() => ({ description: [1, text], url: [2, text] }), 3);

const additionalProperties: WriteField = nested((writer, value) => {
  if (typeof value === 'boolean') writer.tag(2, WireType.Varint).bool(value);
  else orReference(schema)(writer, 1, value);
});

/** Writes a scalar, including zero. Other defaults are present but empty, because the form has no field for them. */
const defaultValue: WriteField = nested((writer, value) => {
  if (typeof value === 'number') writer.tag(1, WireType.Bit64).double(value);
  else if (typeof value === 'boolean') writer.tag(2, WireType.Varint).bool(value);
  else if (typeof value === 'string') writer.tag(3, WireType.LengthDelimited).string(value);
});

const mediaType = message(() => ({ schema: [1, orReference(schema)] }), 5);
const mediaTypes: WriteField = wrapped(1, named(of(mediaType)));

const parameter = message(
  () => ({
    name: [1, text],
    in: [2, text],
    description: [3, text],
    required: [4, flag],
    schema: [10, orReference(schema)],
  }),
  14,
);
const requestBody = message(() => ({ description: [1, text], content: [2, mediaTypes], required: [3, flag] }), 4);
const response = message(() => ({ description: [1, text], content: [3, mediaTypes] }), 5);

const operation = message(
  () => ({
    tags: [1, texts],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, repeated(orReference(parameter))],
    requestBody: [7, orReference(requestBody)],
    responses: [8, wrapped(2, named(orReference(response)))],
    deprecated: [10, flag],
  }),
  13,
);

const pathItem = message(
  () => ({
    get: [4, of(operation)],
    put: [5, of(operation)],
    post: [6, of(operation)],
    delete: [7, of(operation)],
    options: [8, of(operation)],
    head: [9, of(operation)],
    patch: [10, of(operation)],
    parameters: [13, repeated(orReference(parameter))],
  }),
  14,
);

const securityScheme = message(() => ({ type: [1, text], description: [2, text], name: [3, text], in: [4, text] }), 9);

const components = message(
  () => ({
    schemas: [1, wrapped(1, named(orReference(schema)))],
    securitySchemes: [7, wrapped(1, named(orReference(securityScheme)))],
  }),
  10,
);

const documentType = message(
  () => ({
    openapi: [1, text],
    info: [2, of(info)],
    paths: [4, wrapped(1, named(of(pathItem)))],
    components: [5, of(components)],
  }),
  9,
);
