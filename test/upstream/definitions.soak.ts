import { it } from 'vitest';
import { DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import {
  customResources,
  type DefinitionCase,
  definitionOfT,
  differenceOf,
  isDefinition,
  RESOURCES,
} from './custom-resource-case.ts';
import type { SentRequest } from './our-server.ts';
import { randomRule, randomSchema, randomValueOf, type Schema } from './random-definition.ts';
import { editRandomly } from './random-edit.ts';
import { describeUpstream } from './upstream-program.ts';

/** Texts of numbers that JSON.stringify never writes. */
const NUMBERS = ['9223372036854775808', '-9223372036854775809', '12345678901234567890123', '-0', '1e+300'] as const;

/** Keywords of schemas and definitions, with values of which some are wrong. */
const KEYWORDS: readonly [string, unknown][] = [
  ['type', 'integer'],
  ['type', 'null'],
  ['format', 'int32'],
  ['nullable', true],
  ['default', 1],
  ['default', {}],
  ['default', null],
  ['enum', [1, 'a']],
  ['pattern', '('],
  ['pattern', '^a$'],
  ['minLength', -1],
  ['maxItems', 2],
  ['minimum', 3],
  ['exclusiveMaximum', true],
  ['required', ['a', 'missing']],
  ['properties', { a: { type: 'string', default: 'x' }, metadata: { type: 'object' } }],
  ['additionalProperties', { type: 'string' }],
  ['additionalProperties', false],
  ['items', { type: 'string' }],
  ['items', [{ type: 'string' }]],
  ['additionalItems', true],
  ['patternProperties', { a: {} }],
  ['definitions', { a: {} }],
  ['dependencies', { a: ['b'] }],
  ...['patternProperties', 'definitions', 'dependencies'].map((name): [string, unknown] => [name, {}]),
  ...['allOf', 'anyOf', 'oneOf', 'enum', 'x-kubernetes-list-map-keys', 'shortNames'].map((name): [string, unknown] => [
    name,
    [],
  ]),
  ...['not', 'externalDocs', 'additionalProperties', 'items'].map((name): [string, unknown] => [name, {}]),
  ['additionalPrinterColumns', []],
  ['selectableFields', []],
  ['selectableFields', [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.a' }]],
  ['x-kubernetes-validations', [{ rule: 'self.metadata.name != self.metadata.generateName' }]],
  ['x-kubernetes-validations', [{ rule: 'has(self.a)', messageExpression: '"no a in " + string(self)' }]],
  ['x-kubernetes-validations', [{ rule: 'false', message: '', reason: 'FieldValueRequired', fieldPath: '.a' }]],
  ['x-kubernetes-validations', [{ rule: 'oldSelf.hasValue() || self == self', optionalOldSelf: true }]],
  ['x-kubernetes-validations', [{ rule: 'self == oldSelf', message: 'fixed' }]],
  ['$ref', '#/a'],
  ['$schema', 'http://json-schema.org/draft-04/schema#'],
  ['id', 'x'],
  ['title', 'T'],
  ['example', { a: 1 }],
  ['externalDocs', { url: 'x' }],
  ['uniqueItems', true],
  ['multipleOf', 0],
  ['minProperties', 1],
  ['allOf', [{ minimum: 1 }, { properties: { a: { type: 'string' } } }]],
  ['anyOf', [{ type: 'integer' }, { type: 'string' }]],
  ['oneOf', [{ required: ['a'] }, { nullable: true }]],
  ['not', { enum: ['a'] }],
  ['x-kubernetes-int-or-string', true],
  ['x-kubernetes-int-or-string', false],
  ['x-kubernetes-preserve-unknown-fields', true],
  ['x-kubernetes-preserve-unknown-fields', false],
  ['x-kubernetes-embedded-resource', true],
  ['x-kubernetes-list-type', 'map'],
  ['x-kubernetes-list-type', 'set'],
  ['x-kubernetes-list-type', 'other'],
  ['x-kubernetes-list-map-keys', ['a']],
  ['x-kubernetes-list-map-keys', ['a', 'a', 'z']],
  ['x-kubernetes-map-type', 'granular'],
  ['x-kubernetes-map-type', 'other'],
  ['x-kubernetes-validations', [{ rule: 'self == self' }, { rule: 'self == self' }]],
  ['x-kubernetes-validations', [{ rule: 'self.all(x, x.all(y, x.exists(z, z == y)))' }]],
  ['served', false],
  ['storage', false],
  ['deprecated', true],
  ['deprecationWarning', 'old'],
  ['name', 'v2'],
  ['name', 'V1_'],
  ['scope', 'Namespaced'],
  ['scope', 'Other'],
  ['group', 'h.io'],
  ['kind', 'Lower'],
  ['kind', 'not a kind'],
  ['plural', 'us'],
  ['singular', 'T'],
  ['shortNames', ['t', 'T', 't']],
  ['categories', ['all', 'A b']],
  ['conversion', { strategy: 'None', webhook: {} }],
  ['conversion', { strategy: 'Webhook' }],
  [
    'conversion',
    {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v2', 'v1', 'v1'], clientConfig: { url: 'http://x' } },
    },
  ],
  [
    'conversion',
    {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { name: 'a', namespace: 'b', port: 70000, path: 'x' }, caBundle: 'eA==' },
      },
    },
  ],
  ['preserveUnknownFields', true],
  ['subresources', { status: {} }],
  ['subresources', { scale: {} }],
  [
    'subresources',
    {
      status: {},
      scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.b', labelSelectorPath: '.spec.c' },
    },
  ],
  ['subresources', { scale: { specReplicasPath: 'spec[0]', statusReplicasPath: '.spec.a', labelSelectorPath: 'x' } }],
  [
    'additionalPrinterColumns',
    [
      { name: 'A', type: 'string', jsonPath: '.spec.a' },
      { name: 'A', type: 'date', jsonPath: '.spec.b', priority: -1 },
    ],
  ],
  ['additionalPrinterColumns', [{ name: '', type: 'other', jsonPath: 'spec', format: 'int32' }]],
  ['additionalPrinterColumns', [{ name: 'B', type: 'integer', jsonPath: '.spec.a[', format: 'other' }]],
  ['selectableFields', [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.a' }]],
  ['selectableFields', [{ jsonPath: '.spec.b' }, { jsonPath: '.metadata.name' }, { jsonPath: 'spec' }]],
];

const json = 'application/json';
const jsonPatch = 'application/json-patch+json';

class RandomDefinitions {
  readonly #random: Random;
  /**
   * True if applies have unknown fields. Upstream keeps these in its store and drops them from what it reads, by the
   * definition of that time. So the definition of such a case stays.
   */
  #appliesUnknown = false;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): DefinitionCase {
    const schema = randomSchema(this.#random);
    const definition = this.#definition(schema);
    const broken = this.#random.chance(0.4);
    if (broken) this.#edit(definition);
    const requests = [this.#request('POST', DEFINITIONS, json, definition)];
    const steps = broken ? 3 : 12;
    this.#appliesUnknown = this.#random.chance(0.5);
    for (let step = 0; step < steps; step++) {
      if (this.#random.chance(0.15) && !this.#appliesUnknown) {
        const { spec } = structuredClone(definition);
        for (let edit = this.#random.below(3); edit >= 0; edit--) editRandomly(this.#random, spec.versions, KEYWORDS);
        if (this.#random.chance(0.2)) this.#edit({ spec });
        // Upstream accepts a version without a schema in the place of one with it.
        if (!Array.isArray(spec.versions) || !spec.versions.every((version) => version?.schema?.openAPIV3Schema)) {
          continue;
        }
        const patch = [{ op: 'replace', path: '/spec', value: spec }];
        requests.push(this.#request('PATCH', `${DEFINITIONS}/ts.g.io`, jsonPatch, patch));
      } else requests.push(this.#write(schema, requests.length > 1 && requests.some(isChange)));
    }
    return { requests };
  }

  #definition(schema: Schema) {
    const status = randomSchema(this.#random, 2);
    const whole: Schema = {
      type: 'object',
      properties: { spec: structuredClone(schema), ...(this.#random.chance(0.3) && { status }) },
    };
    if (this.#random.chance(0.1)) whole['x-kubernetes-validations'] = [randomRule(this.#random, whole)];
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: whole },
      ...(this.#random.chance(0.3) && { subresources: { status: {} } }),
    };
    const other = { ...structuredClone(version), name: 'v2', storage: false };
    return definitionOfT(this.#random.chance(0.1) ? [version, other] : [version]);
  }

  #edit(definition: object): void {
    do editRandomly(this.#random, Reflect.get(definition, 'spec'), KEYWORDS);
    while (this.#random.chance(0.5));
  }

  #write(schema: Schema, isChanged: boolean): SentRequest {
    const name = this.#random.of(['x', 'y']);
    const spec = randomValueOf(this.#random, schema);
    const object = {
      apiVersion: 'g.io/v1',
      kind: 'T',
      metadata: this.#metadata(name),
      ...(this.#random.chance(0.95) && { spec }),
    };
    if (this.#random.chance(0.03)) editRandomly(this.#random, object, KEYWORDS);
    const path = `${RESOURCES}/${name}`;
    const kind = this.#random.next();
    if (kind < 0.35) return this.#request('POST', RESOURCES, json, object);
    if (kind < 0.7) return this.#request('PATCH', path, 'application/merge-patch+json', { spec: null, ...object });
    if (kind < 0.8) return this.#request('PATCH', path, jsonPatch, [{ op: 'replace', path: '/spec', value: spec }]);
    if (kind < 0.85) {
      return this.#request('PATCH', `${path}/status`, jsonPatch, [{ op: 'add', path: '/status', value: spec }]);
    }
    if (kind < 0.97 && !isChanged) {
      const known = this.#appliesUnknown ? {} : { spec: randomValueOf(this.#random, schema, 0) };
      return this.#request('PATCH', path, 'application/apply-patch+yaml', { ...object, ...known });
    }
    return this.#request('GET', path, json);
  }

  #metadata(name: string): object {
    if (this.#random.chance(0.9)) return { name };
    return this.#random.of<object>([
      { name, labels: { a: 'b', 'c d': '' } },
      { name, labels: { a: 1 } },
      { name, annotations: { a: null }, unknown: 1 },
      { name, finalizers: ['x', 'a.b/c'] },
      { name, generateName: 'g-', namespace: 'n' },
      { name: 'Bad_Name' },
      { name, ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n' }] },
      { name, creationTimestamp: 'x' },
      { name, generation: 7, uid: 'u' },
      {},
    ]);
  }

  #request(method: string, path: string, contentType: string, body?: object): SentRequest {
    const validation = this.#random.of(['', '', '&fieldValidation=Strict', '&fieldValidation=Ignore']);
    const query = method === 'GET' ? '' : `?fieldManager=${this.#random.of(['m', 'm', 'n'])}${validation}`;
    const force = contentType.includes('apply') && this.#random.chance(0.5) ? '&force=true' : '';
    const sent = { method, url: `${path}${query}${force}`, contentType };
    if (body === undefined) return sent;
    const text = contentType === jsonPatch ? JSON.stringify(body) : this.#text(body);
    // Upstream keeps a scalar in the place of the schema of items as no schema.
    const sure = text.replaceAll(/"items":(?:true|false|-?[\d.]+|"[^"]*")/g, '"items":{}');
    return { ...sent, body: Buffer.from(sure).toString('base64') };
  }

  /**
   * JSON, in which a few numbers are replaced by unusual texts. Upstream keeps those of JSON patches, also for its
   * errors.
   */
  #text(body: object): string {
    const text = JSON.stringify(body);
    return text.replaceAll(/(?<=[:,[])-?\d+(?=[,\]}])/g, (number) =>
      this.#random.chance(0.03) ? this.#random.of(NUMBERS) : number,
    );
  }
}

/** A change of the definition. */
const isChange = (request: SentRequest) => request.method === 'PATCH' && isDefinition(request);

describeUpstream('definitions', (upstream) => {
  it('and custom resources have upstream’s responses', () =>
    compareCases(upstream(), {
      ...customResources,
      randomCase: (random) => new RandomDefinitions(random).next(),
      difference: differenceOf,
    }));
});
