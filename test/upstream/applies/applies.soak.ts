import { it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { customResources, type DefinitionCase, definitionOfT, RESOURCES } from '../custom-resource-case.ts';
import type { SentRequest } from '../our-server.ts';
import type { Schema } from '../random-definition.ts';
import { describeUpstream } from '../upstream-program.ts';

const json = 'application/json';
const apply = 'application/apply-patch+yaml';

/** A list whose items have one or two keys, defaulted or required, and that may have such a list inside. */
function keyedList(random: Random, depth: number): Schema {
  const keys = random.of([['a'], ['a', 'b']]);
  const defaulted = keys.filter(() => random.chance(0.7));
  const required = keys.filter((key) => !defaulted.includes(key));
  const scalar = (key: string): Schema => ({ type: 'string', ...(defaulted.includes(key) && { default: 'd' }) });
  const properties: Record<string, Schema> = { a: scalar('a'), b: scalar('b'), v: { type: 'string' } };
  if (random.chance(0.4)) properties['w'] = { type: 'string', default: 'e' };
  if (random.chance(0.3)) properties['o'] = { type: 'object', properties: { p: { type: 'string' } } };
  if (depth > 0 && random.chance(0.4)) properties['l'] = keyedList(random, depth - 1);
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    items: { type: 'object', properties, ...(required.length > 0 && { required }) },
  };
}

function randomList(random: Random, list: Schema): object[] {
  const item = list.items as Schema;
  const keys = list['x-kubernetes-list-map-keys'] as readonly string[];
  const items = Array.from({ length: random.below(4) }, () => randomItem(random, item));
  const named = new Map(
    items.map((one) => [keys.map((key) => Reflect.get(one, key) ?? item.properties?.[key]?.default).join(), one]),
  );
  return random.chance(0.03) ? items : [...named.values()];
}

function randomItem(random: Random, { properties = {}, required = [] }: Schema): object {
  const entries = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    if (!(required as readonly string[]).includes(name) && random.chance(0.6)) return [];
    if (schema.type === 'array') return [[name, randomList(random, schema)]];
    if (schema.type === 'object') return [[name, random.of([{}, { p: '1' }])]];
    return [[name, random.of(['d', 'x', 'y'])]];
  });
  return Object.fromEntries(entries);
}

function randomCase(random: Random): DefinitionCase {
  const list = keyedList(random, 1);
  const schema = { type: 'object', properties: { list, s: { type: 'string' } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const definition = definitionOfT([version]);
  const writes = Array.from({ length: 2 + random.below(8) }, () => randomWrite(random, list));
  return { requests: [request('POST', DEFINITIONS, json, definition), ...writes] };
}

function randomWrite(random: Random, list: Schema): SentRequest {
  const content = {
    ...(random.chance(0.8) && { list: randomList(random, list) }),
    ...(random.chance(0.4) && { s: random.of(['1', '2']) }),
  };
  const object = { apiVersion: 'g.io/v1', kind: 'T', metadata: { name: 'x' }, ...content };
  const manager = `fieldManager=${random.of(['m', 'n', 'o'])}`;
  const kind = random.next();
  if (kind < 0.75) return request('PATCH', `${RESOURCES}/x?${manager}&force=${random.chance(0.6)}`, apply, object);
  if (kind < 0.8) return request('POST', `${RESOURCES}?${manager}`, json, object);
  return request('PATCH', `${RESOURCES}/x?${manager}`, 'application/merge-patch+json', content);
}

function request(method: string, url: string, contentType: string, body: object): SentRequest {
  return { method, url, contentType, body: Buffer.from(JSON.stringify(body)).toString('base64') };
}

describeUpstream('applies', (upstream) => {
  it('of keyed lists with defaults get upstream’s responses', () =>
    compareCases(upstream(), { ...customResources, randomCase }));
});
