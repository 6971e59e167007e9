import { it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';
import { typedSchema, typedValue } from '../applies/random-typed-schema.ts';
import { compareCases } from '../compare-cases.ts';
import {
  customResources,
  type DefinitionCase,
  definitionOfT,
  differenceOf,
  RESOURCES,
  type Seen,
} from '../custom-resource-case.ts';
import type { SentRequest } from '../our-server.ts';
import { randomSchema, randomValueOf, type Schema } from '../random-definition.ts';
import { describeUpstream } from '../upstream-program.ts';
import { OddCbor } from './odd-cbor.ts';
import { OddJson } from './odd-json.ts';
import { OddYaml } from './odd-yaml.ts';

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const CBOR = 'application/cbor';
const APPLY_YAML = 'application/apply-patch+yaml';
const APPLY_CBOR = 'application/apply-patch+cbor';

/** Odd bodies of custom resources in every form. */
class OddRequests {
  readonly #random: Random;
  readonly #cbor: boolean;
  readonly #schema: Schema;
  readonly #isTyped: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#cbor = random.chance(0.4);
    this.#isTyped = random.chance(0.6);
    this.#schema = this.#isTyped ? typedSchema(random) : randomSchema(random, 1);
  }

  next(): DefinitionCase {
    const root = {
      type: 'object',
      properties: { spec: this.#schema },
      ...(this.#random.chance(0.2) && { 'x-kubernetes-preserve-unknown-fields': true }),
    };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } };
    const definition = definitionOfT([version]);
    const requests: SentRequest[] = [this.#random.chance(0.2) ? this.#oddDefinition(definition) : plainly(definition)];
    for (let left = 1 + this.#random.below(5); left > 0; left--) requests.push(this.#write());
    return { cbor: this.#cbor, requests };
  }

  #oddDefinition(definition: object): SentRequest {
    const contentType = this.#random.of([JSON_TYPE, JSON_TYPE, YAML]);
    const validation = this.#random.of(['', 'Strict', 'Warn', 'Ignore']);
    const body = this.#body(contentType, definition).toString('base64');
    return { method: 'POST', url: `${DEFINITIONS}?fieldValidation=${validation}`, contentType, body };
  }

  #write(): SentRequest {
    const validation = this.#random.of(['', 'Strict', 'Warn', 'Ignore']);
    const query = `fieldManager=${this.#random.of(['m', 'n'])}&fieldValidation=${validation}`;
    const name = this.#random.of(['x', 'y']);
    const kind = this.#random.next();
    if (kind < 0.45) return this.#sent('POST', `${RESOURCES}?${query}`, this.#type(), this.#object(name));
    const path = `${RESOURCES}/${name}?${query}`;
    if (kind < 0.6) return this.#sent('PUT', path, this.#type(), this.#object(name));
    if (kind < 0.75) return this.#sent('PATCH', path, 'application/merge-patch+json', this.#object(name));
    if (kind < 0.95) {
      const type = this.#cbor && this.#random.chance(0.5) ? APPLY_CBOR : APPLY_YAML;
      return this.#sent('PATCH', `${path}&force=true`, type, this.#object(name));
    }
    const value = (this.#object(name) as { readonly spec?: unknown }).spec;
    return this.#sent('PATCH', path, 'application/json-patch+json', [{ op: 'add', path: '/spec', value }]);
  }

  #type(): string {
    return this.#random.of(this.#cbor ? [CBOR, CBOR, JSON_TYPE] : [JSON_TYPE, JSON_TYPE, YAML]);
  }

  #object(name: string): object {
    const spec = this.#isTyped
      ? typedValue(this.#random, this.#schema)
      : randomValueOf(this.#random, this.#schema, 0.02);
    return {
      apiVersion: 'g.io/v1',
      kind: 'T',
      metadata: { name, ...(this.#random.chance(0.3) && { labels: { a: '1' }, finalizers: ['x.io/y'] }) },
      ...(this.#random.chance(0.95) && { spec }),
      ...(this.#random.chance(0.1) && { unknown: { a: 1, b: [null, 1.5] } }),
    };
  }

  #sent(method: string, url: string, contentType: string, value: unknown): SentRequest {
    const accept = this.#random.of([JSON_TYPE, JSON_TYPE, YAML, ...(this.#cbor ? [CBOR] : [])]);
    return { method, url, contentType, accept, body: this.#body(contentType, value).toString('base64') };
  }

  #body(contentType: string, value: unknown): Buffer {
    const random = this.#random;
    const chance = random.of([0.01, 0.03, 0.1]);
    if (contentType.endsWith('cbor')) return new OddCbor(random, chance, false).bytes(value);
    if (contentType === YAML || (contentType === APPLY_YAML && random.chance(0.5))) {
      return Buffer.from(new OddYaml(random, chance).text(value));
    }
    return new OddJson(random, chance, random.chance(0.8)).bytes(value);
  }
}

function plainly(definition: object): SentRequest {
  const body = Buffer.from(JSON.stringify(definition)).toString('base64');
  return { method: 'POST', url: DEFINITIONS, contentType: JSON_TYPE, body };
}

/** Characters that Go’s writer of YAML refuses, and bytes that are no UTF-8. */
const KNOWN = /control characters are not allowed|\\x[89a-f]|\\?\\u(?:fffd|2028)/;

/** The parsers of YAML have texts of their own. */
const isYamlFault = (theirs: Seen | undefined, ours: Seen | undefined, { contentType = '' }: SentRequest) =>
  contentType.endsWith('yaml') && theirs?.status === 400 && ours?.status === 400;

const difference: typeof differenceOf = (theirs, ours, one) => {
  const same = ours.map((seen, at) => {
    const request = one.requests[at];
    const their = theirs[at];
    if (request === undefined || their === undefined) return seen;
    return isYamlFault(their, seen, request) || KNOWN.test(their.body) ? their : seen;
  });
  return differenceOf(theirs, same, one);
};

describeUpstream('odd bodies of custom resources', (upstream) => {
  it('get the responses of upstream’s handlers', () =>
    compareCases(upstream(), {
      ...customResources,
      randomCase: (random) => new OddRequests(random).next(),
      difference,
      batch: 50,
      mostAsked: 8,
    }));
});
