import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { startInMemory } from '../testing/index.js';
import { startDefined } from '../testing/start-defined.js';

const RESOURCES = '/apis/g.io/v1/ts';
const either = { 'x-kubernetes-int-or-string': true } as const;
const object: JSONSchemaProps = { type: 'object', properties: { a: { type: 'integer' } } };
const openAPIV3Schema: JSONSchemaProps = {
  type: 'object',
  properties: {
    plain: either,
    object: { ...object, ...either },
    list: { type: 'array', items: object, ...either },
    fields: { properties: { a: { type: 'integer' } }, ...either },
    text: { type: 'string', ...either },
  },
};
const body = (rest: object) => JSON.stringify({ apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, ...rest });

describe('an int-or-string beside a type', () => {
  let server: ReturnType<typeof startInMemory>;
  beforeAll(async () => {
    server = await startDefined([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]);
  });
  afterAll(() => server.stop());

  it.each([
    [{ plain: { a: 1 } }, ['unknown field "plain.a"']],
    [{ fields: { a: 1, b: 2 } }, ['unknown field "fields.b"']],
    [{ object: { a: 1, b: 2 } }, ['unknown field "object.b"']],
    [{ list: [{ a: 1, b: 2 }] }, ['unknown field "list[0].b"']],
  ])('has the fields of that type: %j', async (fields, expected) => {
    const { code, warnings } = await server.ask({
      method: 'POST',
      path: `${RESOURCES}?dryRun=All`,
      body: body(fields),
    });
    expect([code, warnings]).toEqual([422, expected]);
  });

  it.each([
    [{ plain: 1, fields: 1 }, undefined],
    [{ object: 1 }, '.object: expected map, got &{1}'],
    [{ list: 'x' }, '.list: expected list, got &{x}'],
    [{ text: 1 }, '.text: expected string, got &value.valueUnstructured{Value:1}'],
  ])('is applied as that type: %j', async (fields, expected) => {
    const path = `${RESOURCES}/x?fieldManager=m&dryRun=All`;
    const type = 'application/apply-patch+yaml';
    const { json } = await server.ask({ method: 'PATCH', path, type, body: body(fields) });
    const prefix = 'failed to create typed patch object (/x; g.io/v1, Kind=T): ';
    expect(json.message).toBe(expected === undefined ? undefined : `${prefix}${expected}`);
  });
});
