import { existsSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@apiserver/apimachinery';
import { describe, expect, it } from 'vitest';
import { SharedParameters, sharedParameterName } from './shared-parameters.js';

const goldenFile = new URL('../../../../../shared/facts/openapi-v2-1.36.json', import.meta.url);

describe.skipIf(!existsSync(goldenFile))('upstream parameters (skipped when ../shared/facts is absent)', () => {
  it('have the names that upstream gives them', () => {
    const parameters: Record<string, JsonObject> = JSON.parse(readFileSync(goldenFile, 'utf8')).parameters;
    const renamed = Object.entries(parameters).filter(
      ([name, parameter]) => name !== sharedParameterName(inOrder(parameter)),
    );
    expect([Object.keys(parameters).length > 40, renamed.map(([name]) => name)]).toEqual([true, []]);
  });
});

const order = ['uniqueItems', 'type', 'description', 'name', 'in', 'required', 'schema'];

function inOrder(parameter: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameter).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

it('refers to parameters that do not belong to one kind', () => {
  const shared = new SharedParameters();
  const body = (definition: string): JsonObject => ({
    name: 'body',
    in: 'body',
    schema: { $ref: `#/definitions/${definition}` },
  });
  const pretty = { uniqueItems: true, type: 'string', name: 'pretty', in: 'query' };
  const references = [
    pretty,
    { ...pretty, name: 'dryRun' },
    body('io.k8s.apimachinery.pkg.apis.meta.v1.Patch'),
    body('io.k8s.api.core.v1.ConfigMap'),
    pretty,
  ].map((parameter) => shared.reference(parameter));
  expect(references.map((reference) => '$ref' in reference)).toEqual([true, false, true, false, true]);
  expect(Object.keys(shared.all()).map((name) => name.split('-')[0])).toEqual(['body', 'pretty']);
});
