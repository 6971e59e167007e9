import { formatGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { comparedKinds } from '../compared-kinds.ts';
import { randomObject } from '../random-object.ts';
import { randomValue } from '../random-value.ts';
import { collectionOf, type ServedCase, served, servedCase } from '../served-case.ts';
import { describeUpstream } from '../upstream-program.ts';
import { OddCbor } from './odd-cbor.ts';
import { OddJson } from './odd-json.ts';
import { OddProtobuf } from './odd-protobuf.ts';
import { OddYaml } from './odd-yaml.ts';

const KINDS = await comparedKinds();

interface Body {
  readonly contentType: string;
  readonly body: Buffer;
}

const TYPES: readonly [
  (random: Random, schema: KindSchema) => Body,
  ...((random: Random, schema: KindSchema) => Body)[],
] = [jsonBody, jsonBody, cborBody, yamlBody, protobufBody];

const chanceOf = (random: Random) => random.of([0.01, 0.03, 0.1]);

function jsonBody(random: Random, schema: KindSchema): Body {
  const odd = new OddJson(random, chanceOf(random), random.chance(0.8));
  return { contentType: 'application/json', body: odd.bytes(randomObject(random, schema)) };
}

function cborBody(random: Random, schema: KindSchema): Body {
  const odd = new OddCbor(random, chanceOf(random));
  return { contentType: 'application/cbor', body: odd.bytes(randomObject(random, schema)) };
}

function yamlBody(random: Random, schema: KindSchema): Body {
  const odd = new OddYaml(random, chanceOf(random));
  return { contentType: 'application/yaml', body: Buffer.from(odd.text(randomObject(random, schema))) };
}

function protobufBody(random: Random, schema: KindSchema): Body {
  const codec = compileKind<unknown>(schema);
  const valid = randomValue(random, schema.schema, { fields: 0.2 }) as object;
  const { object } = codec.fromJson({ ...valid, metadata: { name: 'a' } } as never, 'Ignore');
  const typed = { ...(object as object), apiVersion: formatGroupVersion(schema.gvk), kind: schema.gvk.kind };
  const odd = new OddProtobuf(random, chanceOf(random));
  return { contentType: 'application/vnd.kubernetes.protobuf', body: odd.bytes(codec.encodeProtobuf(typed)) };
}

function randomCase(random: Random): ServedCase {
  const schema = random.of(KINDS);
  const { contentType, body } = random.of(TYPES)(random, schema);
  const url = `${collectionOf(schema)}?fieldValidation=${random.of(['', 'Strict', 'Warn', 'Ignore'])}`;
  const request = { method: 'POST', url, contentType, body: body.toString('base64') };
  return servedCase(schema, [request], { cbor: contentType === 'application/cbor' });
}

/**
 * The parsers of YAML have texts of their own, and so have the decoders of single fields of protobuf. Bytes that are no
 * UTF-8 print otherwise.
 */
const difference: typeof served.difference = (theirs, ours, one) => {
  const [upstream, own] = [theirs[0]?.status, ours[0]?.status];
  const contentType = one.requests[0]?.contentType;
  const isApproximate = contentType === 'application/yaml' || contentType === 'application/vnd.kubernetes.protobuf';
  if (isApproximate && upstream === 400 && own === 400) return undefined;
  const isUnreadable = upstream === own && /\\x[89a-f]|\\\?/.test(theirs[0]?.body ?? '');
  return isUnreadable ? undefined : served.difference(theirs, ours, one);
};

describeUpstream('odd bodies', (upstream) => {
  it('get the responses of upstream’s handlers', () => compareCases(upstream(), { ...served, randomCase, difference }));
});
