import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { comparedKinds } from './compared-kinds.ts';
import type { SentRequest } from './our-server.ts';
import { randomObject } from './random-object.ts';
import { randomPatch } from './random-patch.ts';
import { collectionOf, type ServedCase, served, servedCase } from './served-case.ts';
import { describeUpstream } from './upstream-program.ts';

const KINDS = await comparedKinds();

function randomCase(random: Random): ServedCase {
  const schema = random.of(KINDS);
  return servedCase(
    schema,
    Array.from({ length: 1 + random.below(6) }, (_, index) => randomRequest(random, schema, index)),
  );
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

function randomRequest(random: Random, schema: KindSchema, index: number): SentRequest {
  const collection = collectionOf(schema);
  const query = randomQuery(random);
  const object = () => randomObject(random, schema);
  const contentType = 'application/json';
  if (index === 0 || random.chance(0.05)) {
    return { method: 'POST', url: `${collection}?${query}`, contentType, body: base64(object()) };
  }
  if (random.chance(0.15)) {
    return { method: 'PUT', url: `${collection}/a?${query}`, contentType, body: base64(object()) };
  }
  const { type, body } = randomPatch(random, schema, object);
  const force = type.includes('apply') && random.chance(0.3) ? '&force=true' : '';
  return { method: 'PATCH', url: `${collection}/a?${query}${force}`, contentType: type, body: base64(body) };
}

function randomQuery(random: Random): string {
  const validation = random.of(['', '', 'fieldValidation=Strict', 'fieldValidation=Ignore', 'fieldValidation=Warn']);
  return `fieldManager=${random.of(['m1', 'm2', 'm3'])}&${validation}`;
}

describeUpstream('writes', (upstream) => {
  it('get the responses of upstream’s handlers', () => compareCases(upstream(), { ...served, randomCase }));
});
