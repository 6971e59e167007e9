import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { startInMemory } from '../testing/index.js';
import { startDefined } from '../testing/start-defined.js';

const properties: Record<string, JSONSchemaProps> = { a: { type: 'string' }, b: { type: 'integer', default: 1 } };
const openAPIV3Schema: JSONSchemaProps = {
  type: 'object',
  properties: {
    text: { type: 'string', properties },
    list: { type: 'array', items: { type: 'string' }, properties },
    object: { type: 'object', items: { type: 'object', properties }, properties: { k: { type: 'string' } } },
    kept: { type: 'string', 'x-kubernetes-preserve-unknown-fields': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object', properties } },
  },
};

describe('a schema of one type that declares members or items of another', () => {
  let server: ReturnType<typeof startInMemory>;
  beforeAll(async () => {
    server = await startDefined([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]);
  });
  afterAll(() => server.stop());

  it.each([
    [{ text: { a: 'x' } }, 422, 'text in body must be of type string: "object"'],
    [{ text: { a: 1 } }, 422, 'text.a in body must be of type string: "integer"'],
    [{ text: { c: 1 } }, 400, 'unknown field "text.c"'],
    [{ kept: { a: 'x' } }, 422, 'kept in body must be of type string: "object"'],
    [{ kept: [{ a: 'x' }] }, 422, 'kept in body must be of type string: "array"'],
    [{ list: { a: 'x' } }, 422, 'list in body must be of type array: "object"'],
    [{ object: [{ a: 'x' }] }, 422, 'object in body must be of type object: "array"'],
    [{ object: [{ c: 'x' }] }, 400, 'unknown field "object[0].c"'],
    [{ any: [{ a: 'x', c: 2 }] }, 201, ''],
    [{ any: [{ a: 'x', b: 1, c: 2 }] }, 201, ''],
  ])('%j is a %i', async (fields, code, message) => {
    const object = { apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, ...fields };
    const path = '/apis/g.io/v1/ts?dryRun=All&fieldValidation=Strict';
    const response = await server.ask({ method: 'POST', path, body: JSON.stringify(object) });
    expect([response.code, response.json.message ?? '']).toEqual([code, expect.stringContaining(message)]);
  });
});
