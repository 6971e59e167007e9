import type { CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';
import { describe, it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { customResources, type DefinitionCase, differenceOf } from '../custom-resource-case.ts';
import type { SentRequest } from '../our-server.ts';
import { describeUpstream } from '../upstream-program.ts';
import { type Published, readPublished } from './read-published.ts';
import { SchemaValues } from './schema-values.ts';

/** A folder with published definitions, such as Go's cache of modules. */
const folder = process.env['PUBLISHED_DEFINITIONS'];
const STEPS = 16;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** A series of requests about objects of one definition. */
class ObjectsOf {
  readonly #random: Random;
  readonly #values: SchemaValues;
  readonly #published: Published;
  readonly #versions: readonly CustomResourceDefinitionVersion[];
  /** The objects that were sent; some were refused. */
  readonly #sent: (KubeObject & { spec?: unknown })[] = [];

  constructor(random: Random, published: Published) {
    const texts = [...JSON.stringify(published.definition).matchAll(/'([^'"\\ ]{1,40})'/g)].map(
      ([, text = '']) => text,
    );
    this.#random = random;
    this.#values = new SchemaValues(random, [...new Set(texts)].slice(0, 200));
    this.#published = published;
    this.#versions = (published.definition.spec.versions ?? []).filter(({ served }) => served);
  }

  requests(): readonly SentRequest[] {
    const define = request('POST', DEFINITIONS, 'application/json', this.#published.definition);
    if (this.#versions.length === 0) return [define];
    return [define, ...Array.from({ length: STEPS }, () => this.#next())];
  }

  #next(): SentRequest {
    const { group, scope, names } = this.#published.definition.spec;
    const version = this.#values.pick(this.#versions);
    const place = scope === 'Namespaced' ? '/namespaces/n' : '';
    const all = `/apis/${group}/${version.name}${place}/${names.plural}`;
    const last = this.#sent.length === 0 ? undefined : this.#values.pick(this.#sent);
    const kind = this.#random.next();
    if (last === undefined || kind < 0.45) return this.#create(version, all);
    const one = `${all}/${last.metadata.name}`;
    const strict = this.#random.chance(0.15) ? '&fieldValidation=Strict' : '';
    const patch = (path: string, type: string, body: unknown) =>
      request('PATCH', `${path}?fieldManager=${this.#values.pick(['m', 'n'])}${strict}`, `application/${type}`, body);
    const { properties } = version.schema?.openAPIV3Schema ?? {};
    if (kind < 0.6) return patch(one, 'merge-patch+json', { spec: this.#fresh(version)['spec'] });
    if (kind < 0.75) {
      const spec = this.#edited(last, version)['spec'] ?? {};
      return patch(one, 'json-patch+json', [{ op: 'replace', path: '/spec', value: spec }]);
    }
    if (kind < 0.83) {
      return patch(`${one}/status`, 'merge-patch+json', { status: this.#values.value(properties?.['status']) });
    }
    if (kind < 0.87) {
      const replicas = this.#values.pick([0, 1, 3, -1, 'x']);
      return patch(`${one}/scale`, 'merge-patch+json', { spec: { replicas } });
    }
    if (kind < 0.92) return { method: 'GET', url: all, accept: TABLE };
    if (kind < 0.97) return patch(one, 'apply-patch+yaml', { ...this.#fresh(version), metadata: last.metadata });
    return { method: 'GET', url: `${one}${this.#values.pick(['', '/scale', '/status'])}` };
  }

  #create(version: CustomResourceDefinitionVersion, all: string): SentRequest {
    const object = this.#fresh(version);
    object.metadata.name = `x${this.#sent.length}`;
    this.#sent.push(object);
    return request('POST', `${all}?fieldManager=m`, 'application/json', object);
  }

  /** A sample with some changes, or a random object. */
  #fresh(version: CustomResourceDefinitionVersion): KubeObject {
    const { group, names } = this.#published.definition.spec;
    const samples = this.#published.samples.get(version.name) ?? [];
    const { properties = {} } = version.schema?.openAPIV3Schema ?? {};
    const type = { apiVersion: `${group}/${version.name}`, kind: names.kind, metadata: { name: 'x' } };
    if (samples.length > 0 && this.#random.chance(0.6)) {
      return { ...this.#edited(this.#values.pick(samples), version), ...type } as KubeObject;
    }
    const own = Object.entries(properties).filter(([name]) => !(name in type) && this.#random.chance(0.7));
    return { ...Object.fromEntries(own.map(([name, schema]) => [name, this.#values.value(schema)])), ...type };
  }

  #edited(object: KubeObject, { schema }: CustomResourceDefinitionVersion): KubeObject {
    const changed = cloneJson(object) as KubeObject;
    for (let edits = this.#random.below(4); edits > 0; edits--) this.#values.edit(changed, schema?.openAPIV3Schema);
    return changed;
  }
}

function request(method: string, url: string, contentType: string, body: unknown): SentRequest {
  return { method, url, contentType, body: Buffer.from(JSON.stringify(body)).toString('base64') };
}

describe.skipIf(folder === undefined)('with PUBLISHED_DEFINITIONS', () => {
  describeUpstream('published definitions', (upstream) => {
    it('and their objects have upstream’s responses', async () => {
      const [first, ...others] = readPublished(folder ?? '');
      if (first === undefined) throw new Error(`no definitions in ${folder}`);
      await compareCases(upstream(), {
        ...customResources,
        randomCase: (random): DefinitionCase => ({
          requests: new ObjectsOf(random, random.of([first, ...others])).requests(),
        }),
        difference: differenceOf,
        batch: 8,
      });
    });
  });
});
