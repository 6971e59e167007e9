import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { startInMemory } from '../testing/index.js';
import { startDefined } from '../testing/start-defined.js';

const RESOURCES = '/apis/g.io/v1/ts';
const preserving = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const object = (properties: Record<string, JSONSchemaProps>): JSONSchemaProps => ({ type: 'object', properties });
const item = object({ a: { type: 'string' }, inner: object({ b: { type: 'string' } }) });
const list = (items: JSONSchemaProps): JSONSchemaProps => ({ type: 'array', items });
const openAPIV3Schema = object({
  plain: list(item),
  kept: { ...list(item), ...preserving },
  nested: { ...list(list(item)), ...preserving },
  mapped: { type: 'object', additionalProperties: item, ...preserving },
});
const sent = { a: 'x', unknown: 1, inner: { b: 'y', unknown: 2 } };
const body = (rest: object) => JSON.stringify({ apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, ...rest });

describe('a list that preserves unknown fields', () => {
  let server: ReturnType<typeof startInMemory>;
  beforeAll(async () => {
    server = await startDefined([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]);
  });
  afterAll(() => server.stop());

  const apply = (rest: object) =>
    server.ask({
      method: 'PATCH',
      path: `${RESOURCES}/x?fieldManager=m&dryRun=All`,
      type: 'application/apply-patch+yaml',
      body: body(rest),
    });

  it('keeps those of its items and of lists in it, but none deeper', async () => {
    const all = { plain: [sent], kept: [sent], nested: [[sent]], mapped: { k: sent } };
    const { json } = await server.ask({ method: 'POST', path: `${RESOURCES}?dryRun=All`, body: body(all) });
    const pruned = { a: 'x', inner: { b: 'y' } };
    const kept = { ...pruned, unknown: 1 };
    expect([json.plain, json.kept, json.nested, json.mapped]).toEqual([[pruned], [kept], [[kept]], { k: pruned }]);
  });

  it.each(['kept', 'nested', 'mapped'])('takes any field that is applied below it: %s', async (field) => {
    const value = { kept: [sent], nested: [[sent]], mapped: { k: sent } }[field];
    expect((await apply({ [field]: value })).code).toBe(201);
  });

  it('is unlike other lists, whose items accept no other fields', async () => {
    const { code, json } = await apply({ plain: [{ a: 'x', unknown: 1 }] });
    expect([code, json.message]).toEqual([500, expect.stringMatching(/\.plain\[0\]\.unknown: field not declared/)]);
  });
});
