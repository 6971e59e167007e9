import { formatGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { encodeCborValue } from '@apiserver/apimachinery/codec/cbor';
import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { comparedKinds } from './compared-kinds.ts';
import { mutated } from './mutated-text.ts';
import { randomValue } from './random-value.ts';
import { collectionOf, type ServedCase, served, servedCase } from './served-case.ts';
import { describeUpstream } from './upstream-program.ts';

const KINDS = await comparedKinds();

const apiVersionOf = ({ gvk }: KindSchema) => formatGroupVersion(gvk);

function randomObject(random: Random, kindSchema: KindSchema): object {
  const { gvk, schema } = kindSchema;
  return {
    ...(random.chance(0.95) && { apiVersion: apiVersionOf(kindSchema) }),
    ...(random.chance(0.95) && { kind: gvk.kind }),
    ...(randomValue(random, schema, { odd: random.chance(0.3) ? 0.02 : 0, unknown: 0.03, fields: 0.1 }) as object),
    metadata: { name: 'a', ...(random.chance(0.2) && { labels: { a: random.of<unknown>(['1', 1, null]) } }) },
  };
}

/** A body of a random type; at times broken. */
function randomBody(random: Random, schema: KindSchema): { readonly contentType: string; readonly body: Buffer } {
  const object = randomObject(random, schema);
  const kind = random.next();
  // Upstream's YAML has more line breaks.
  const text = (of: string, without = '') =>
    Buffer.from(random.chance(0.8) ? mutated(random, of).replaceAll(without, '') : of);
  if (kind < 0.5) return { contentType: 'application/json', body: text(JSON.stringify(object)) };
  if (kind < 0.65) return { contentType: 'application/cbor', body: mutatedBytes(random, encodeCborValue(object)) };
  if (kind < 0.75) return { contentType: 'application/yaml', body: text(encodeYaml(object).toString(), '\u2028') };
  const valid = randomValue(random, schema.schema, { fields: 0.1 }) as object;
  const codec = compileKind<unknown>(schema);
  const typed = codec.fromJson({ ...valid, metadata: { name: 'a' } } as never, 'Ignore').object;
  return {
    contentType: 'application/vnd.kubernetes.protobuf',
    body: mutatedBytes(
      random,
      codec.encodeProtobuf({ ...(typed as object), apiVersion: apiVersionOf(schema), kind: schema.gvk.kind }),
    ),
  };
}

function mutatedBytes(random: Random, bytes: Uint8Array): Buffer {
  const changed = Buffer.from(bytes);
  for (let i = random.below(3); i > 0; i--) changed[random.below(changed.length)] = random.below(128);
  return random.chance(0.2) ? changed.subarray(0, random.below(changed.length)) : changed;
}

function randomCase(random: Random): ServedCase {
  const schema = random.of(KINDS);
  const validation = random.of(['', 'Strict', 'Warn', 'Ignore']);
  const { contentType, body } = randomBody(random, schema);
  const url = `${collectionOf(schema)}?fieldValidation=${validation}`;
  const request = { method: 'POST', url, contentType, body: body.toString('base64') };
  return servedCase(schema, [request], { cbor: contentType === 'application/cbor' });
}

/**
 * The parsers of YAML disagree about odd texts, and upstream ignores faults behind its first document. Faults of single
 * fields of protobuf have approximate messages, and its texts may not be UTF-8. Upstream takes more unknown groups.
 */
const difference: typeof served.difference = (theirs, ours, one) => {
  const [upstream, own] = [theirs[0]?.status, ours[0]?.status];
  const contentType = one.requests[0]?.contentType;
  if (contentType === 'application/yaml' && (upstream === own || upstream === 400 || own === 400)) return undefined;
  if (contentType === 'application/vnd.kubernetes.protobuf' && (upstream === own || own === 400)) return undefined;
  return served.difference(theirs, ours, one);
};

describeUpstream('bodies', (upstream) => {
  it('get the responses of upstream’s handlers', () => compareCases(upstream(), { ...served, randomCase, difference }));
});
