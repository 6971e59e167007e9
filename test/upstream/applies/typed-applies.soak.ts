import { it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { customResources, type DefinitionCase, definitionOfT, differenceOf } from '../custom-resource-case.ts';
import type { SentRequest } from '../our-server.ts';
import type { Schema } from '../random-definition.ts';
import { describeUpstream } from '../upstream-program.ts';
import { retype, typedSchema, typedValue } from './random-typed-schema.ts';

const json = 'application/json';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';

/** Changes of managed fields by a client. */
const MANAGED = [
  { op: 'replace', path: '/metadata/managedFields', value: [] },
  { op: 'replace', path: '/metadata/managedFields', value: [{}] },
  { op: 'remove', path: '/metadata/managedFields/0' },
  { op: 'remove', path: '/metadata/managedFields/0/fieldsV1/f:spec' },
  { op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Update' },
  { op: 'replace', path: '/metadata/managedFields/0/manager', value: 'n' },
  { op: 'replace', path: '/metadata/managedFields/0/apiVersion', value: 'g.io/v9' },
  { op: 'replace', path: '/metadata/managedFields/0/subresource', value: 'status' },
  { op: 'add', path: '/metadata/managedFields/0/fieldsV1/f:spec', value: { 'f:a': {}, 'f:z': { '.': {} } } },
] as const;

/** Writes of several managers to one object of a random type, which changes at times. */
class RandomWriters {
  readonly #random: Random;
  readonly #versions: readonly [string, ...string[]];
  readonly #schemas = new Map<string, Schema>();
  readonly #hasStatus: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#versions = random.chance(0.3) ? ['v1', 'v2'] : ['v1'];
    this.#hasStatus = random.chance(0.3);
    const schema = this.#rootSchema();
    for (const version of this.#versions) this.#schemas.set(version, structuredClone(schema));
    if (random.chance(0.4)) retype(random, this.#specOf('v2') ?? {});
  }

  next(): DefinitionCase {
    const requests = [this.#request('POST', DEFINITIONS, json, this.#definition())];
    const steps = 3 + this.#random.below(9);
    for (let step = 0; step < steps; step++) requests.push(this.#random.chance(0.08) ? this.#change() : this.#write());
    return { requests };
  }

  #rootSchema(): Schema {
    const properties: Record<string, Schema> = { spec: typedSchema(this.#random) };
    if (this.#hasStatus) properties['status'] = typedSchema(this.#random);
    return { type: 'object', properties };
  }

  #specOf(version: string): Schema | undefined {
    return this.#schemas.get(version)?.properties?.['spec'];
  }

  #definition() {
    return definitionOfT(
      this.#versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: structuredClone(this.#schemas.get(name)) },
        ...(this.#hasStatus && { subresources: { status: {} } }),
      })),
    );
  }

  #change(): SentRequest {
    const version = this.#random.of(this.#versions);
    retype(this.#random, this.#specOf(version) ?? {});
    const patch = [{ op: 'replace', path: '/spec', value: this.#definition().spec }];
    return this.#request('PATCH', `${DEFINITIONS}/ts.g.io`, jsonPatch, patch);
  }

  #write(): SentRequest {
    const version = this.#random.of(this.#versions);
    const resources = `/apis/g.io/${version}/ts`;
    const { properties = {} } = this.#schemas.get(version) ?? {};
    const content = Object.fromEntries(
      Object.entries(properties)
        .filter(() => this.#random.chance(0.9))
        .map(([name, schema]) => [name, typedValue(this.#random, schema)]),
    );
    const object = { apiVersion: `g.io/${version}`, kind: 'T', metadata: this.#metadata(), ...content };
    const part = this.#hasStatus && this.#random.chance(0.2) ? '/status' : '';
    const kind = this.#random.next();
    const manager = `fieldManager=${this.#random.of(['m', 'n', 'o'])}`;
    const to = `${resources}/x${part}?${manager}`;
    if (kind < 0.65) return this.#request('PATCH', `${to}&force=${this.#random.chance(0.6)}`, apply, object);
    if (kind < 0.7) return this.#request('POST', `${resources}?${manager}`, json, object);
    if (kind < 0.87) return this.#request('PATCH', to, mergePatch, content);
    if (kind < 0.93) {
      const [name = 'spec', value = {}] = this.#random.of(Object.entries(content) as [[string, unknown]]) ?? [];
      return this.#request('PATCH', to, jsonPatch, [{ op: 'add', path: `/${name}`, value }]);
    }
    if (kind < 0.95) return this.#request('PATCH', to, jsonPatch, [this.#random.of<object>(MANAGED)]);
    if (kind < 0.97) return this.#request('DELETE', `${resources}/x`, json);
    return this.#request('GET', `${resources}/x`, json);
  }

  #metadata(): object {
    const few = () => ({ [this.#random.of(['a', 'b'])]: this.#random.of(['1', '2']) });
    return {
      name: 'x',
      ...(this.#random.chance(0.2) && { labels: few() }),
      ...(this.#random.chance(0.1) && { annotations: few() }),
      ...(this.#random.chance(0.05) && { finalizers: [this.#random.of(['x/y', 'x/z'])] }),
      ...(this.#random.chance(0.05) && {
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: this.#random.of(['1', '2']) }],
      }),
    };
  }

  #request(method: string, url: string, contentType: string, body?: object): SentRequest {
    if (body === undefined) return { method, url, contentType };
    return { method, url, contentType, body: Buffer.from(JSON.stringify(body)).toString('base64') };
  }
}

describeUpstream('typed applies', (upstream) => {
  it('of several managers get upstream’s responses', () =>
    compareCases(upstream(), {
      ...customResources,
      randomCase: (random) => new RandomWriters(random).next(),
      difference: differenceOf,
    }));
});
