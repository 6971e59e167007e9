import { it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';
import { randomPath } from '../columns/random-column.ts';
import { compareCases } from '../compare-cases.ts';
import { customResources, type DefinitionCase, definitionOfT, differenceOf } from '../custom-resource-case.ts';
import { mutatedValue } from '../mutated-value.ts';
import type { SentRequest } from '../our-server.ts';
import { randomSchema, randomValueOf, type Schema } from '../random-definition.ts';
import { describeUpstream } from '../upstream-program.ts';

const json = 'application/json';
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

const TYPES = ['string', 'integer', 'number', 'boolean', 'date', 'string', 'other'] as const;
const FORMATS = [
  '',
  '',
  'int32',
  'int64',
  'float',
  'double',
  'byte',
  'date',
  'date-time',
  'password',
  'other',
] as const;

/** Series of all verbs and subresources of one definition, through its versions. */
class RandomRequests {
  readonly #random: Random;
  readonly #spec: Schema;
  readonly #status: Schema;
  readonly #versions: readonly [string, ...string[]];
  readonly #isNamespaced: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#spec = randomSchema(random, 1);
    this.#status = randomSchema(random, 2);
    this.#versions = random.chance(0.4) ? ['v1', 'v2'] : ['v1'];
    this.#isNamespaced = random.chance(0.2);
  }

  next(): DefinitionCase {
    const requests = [this.#request('POST', DEFINITIONS, json, this.#definition())];
    const steps = 4 + this.#random.below(12);
    for (let step = 0; step < steps; step++) requests.push(this.#step());
    return { requests };
  }

  #definition() {
    const definition = definitionOfT(this.#versions.map((name, index) => this.#version(name, index)));
    const { spec } = definition;
    return {
      ...definition,
      spec: {
        ...spec,
        ...(this.#isNamespaced && { scope: 'Namespaced' }),
        ...(this.#random.chance(0.1) && { conversion: { strategy: 'None' } }),
        names: { ...spec.names, ...(this.#random.chance(0.1) && { shortNames: ['tt'], categories: ['all'] }) },
      },
    };
  }

  #version(name: string, index: number) {
    const root: Schema = {
      type: 'object',
      properties: { spec: structuredClone(this.#spec), status: structuredClone(this.#status) },
    };
    if (this.#random.chance(0.1)) root.properties = { ...root.properties, metadata: this.#metadataSchema() };
    return {
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: root },
      ...(this.#random.chance(0.2) && { deprecated: true, deprecationWarning: 'this is old' }),
      ...(this.#random.chance(0.6) && { subresources: this.#subresources() }),
      ...(this.#random.chance(0.6) && { additionalPrinterColumns: this.#columns() }),
      ...(this.#random.chance(0.2) && { selectableFields: [{ jsonPath: this.#place('.spec') }] }),
    };
  }

  #metadataSchema(): Schema {
    return this.#random.of<Schema>([
      { type: 'object', properties: { name: { type: 'string', pattern: '^[a-x]' } } },
      { type: 'object', properties: { name: { type: 'string', maxLength: 1 } } },
      { type: 'object' },
      { type: 'object', properties: { labels: { type: 'object' } } },
    ]);
  }

  #subresources(): object {
    return {
      ...(this.#random.chance(0.7) && { status: {} }),
      ...(this.#random.chance(0.6) && {
        scale: {
          specReplicasPath: this.#place('.spec'),
          statusReplicasPath: this.#place('.status'),
          ...(this.#random.chance(0.5) && { labelSelectorPath: this.#place('.status') }),
        },
      }),
    };
  }

  /** A path to a field that exists in most cases. */
  #place(root: '.spec' | '.status'): string {
    const schema = root === '.spec' ? this.#spec : this.#status;
    const [name = 'a', ...names] = Object.keys(schema.properties ?? {});
    return this.#random.chance(0.1) ? `${root}.a.b` : `${root}.${this.#random.of([name, ...names])}`;
  }

  #columns(): object[] {
    return Array.from({ length: 1 + this.#random.below(3) }, (_, index) => ({
      name: `C${index}`,
      type: this.#random.chance(0.95) ? this.#random.of(TYPES.slice(0, 6) as ['string']) : this.#random.of(TYPES),
      jsonPath: this.#random.chance(0.2) ? `.spec${randomPath(this.#random)}` : this.#columnPath(),
      ...(this.#random.chance(0.3) && { format: this.#random.of(FORMATS) }),
      ...(this.#random.chance(0.2) && { description: 'text' }),
      ...(this.#random.chance(0.2) && { priority: this.#random.below(3) }),
    }));
  }

  #columnPath(): string {
    return this.#random.of([
      this.#place('.spec'),
      this.#place('.status'),
      `${this.#place('.spec')}[0]`,
      `${this.#place('.spec')}[*].a`,
      '.metadata.name',
      '.metadata.labels.a',
      '.metadata.creationTimestamp',
      '.kind',
      '.apiVersion',
    ]);
  }

  #step(): SentRequest {
    const version = this.#random.of(this.#versions);
    const namespace = this.#isNamespaced ? `namespaces/${this.#random.of(['n', 'n', 'm'])}/` : '';
    const resources = `/apis/g.io/${version}/${namespace}ts`;
    const name = this.#random.of(['x', 'x', 'y']);
    const path = `${resources}/${name}`;
    const kind = this.#random.next();
    if (kind < 0.3) return this.#write('POST', resources, json, this.#object(version, name));
    if (kind < 0.45) return this.#write('PATCH', path, mergePatch, this.#object(version, name));
    if (kind < 0.5) return this.#write('PUT', path, json, this.#object(version, name));
    if (kind < 0.55) return this.#write('PATCH', path, apply, this.#object(version, name));
    if (kind < 0.65) return this.#writeStatus(path, version, name);
    if (kind < 0.73) return this.#scale(path, name);
    if (kind < 0.8) return { ...this.#get(path), accept: this.#random.of([json, TABLE, METADATA]) };
    if (kind < 0.93) return this.#list(resources);
    if (kind < 0.97) return this.#delete(path);
    return this.#request('DELETE', `${resources}?${this.#selection()}`, json);
  }

  #object(version: string, name: string): object {
    const object = {
      apiVersion: `g.io/${version}`,
      kind: 'T',
      metadata: { name, ...this.#metadata() },
      ...(this.#random.chance(0.9) && { spec: randomValueOf(this.#random, this.#spec, 0.02) }),
      ...(this.#random.chance(0.5) && { status: randomValueOf(this.#random, this.#status, 0.02) }),
    };
    return this.#random.chance(0.06) ? (mutatedValue(this.#random, object) as object) : object;
  }

  #metadata(): object {
    if (this.#random.chance(0.6)) return {};
    return this.#random.of<object>([
      { labels: { a: this.#random.of(['1', '2']) } },
      { labels: { a: '1', b: '2' }, annotations: { c: 'd' } },
      { generateName: 'g-' },
      { finalizers: ['x.io/y'] },
      { namespace: 'n' },
      { uid: 'other' },
      { resourceVersion: '1' },
      { generation: 5, selfLink: '/x', deletionGracePeriodSeconds: 3 },
      { managedFields: [] },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: '1', controller: true }] },
    ]);
  }

  #write(method: string, path: string, type: string, body: object): SentRequest {
    const query = new URLSearchParams({ fieldManager: this.#random.of(['m', 'n']) });
    if (this.#random.chance(0.3)) query.set('fieldValidation', this.#random.of(['Strict', 'Warn', 'Ignore', 'x']));
    if (this.#random.chance(0.1)) query.set('dryRun', this.#random.of(['All', 'None', '']));
    if (type === apply && this.#random.chance(0.6)) query.set('force', 'true');
    return this.#request(method, `${path}?${query}`, type, body);
  }

  #writeStatus(path: string, version: string, name: string): SentRequest {
    const kind = this.#random.next();
    if (kind < 0.5) return this.#write('PATCH', `${path}/status`, mergePatch, this.#object(version, name));
    if (kind < 0.7) return this.#write('PATCH', `${path}/status`, apply, this.#object(version, name));
    if (kind < 0.8) return this.#get(`${path}/status`);
    const value = randomValueOf(this.#random, this.#status, 0.02);
    return this.#request('PATCH', `${path}/status?fieldManager=m`, jsonPatch, [{ op: 'add', path: '/status', value }]);
  }

  #scale(path: string, name: string): SentRequest {
    const kind = this.#random.next();
    if (kind < 0.3) return { ...this.#get(`${path}/scale`), accept: this.#random.of([json, TABLE]) };
    const replicas = this.#random.of<unknown>([0, 1, 3, -1, 2 ** 31, null, 'x']);
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec: { replicas } };
    if (kind < 0.7) return this.#request('PATCH', `${path}/scale?fieldManager=m`, mergePatch, { spec: { replicas } });
    if (kind < 0.85) return this.#request('PATCH', `${path}/scale?fieldManager=n`, apply, scale);
    return this.#request('PUT', `${path}/scale?fieldManager=m`, json, scale);
  }

  #list(resources: string): SentRequest {
    const accept = this.#random.of([json, TABLE, TABLE, METADATA_LIST]);
    const included = this.#random.chance(0.3)
      ? `includeObject=${this.#random.of(['None', 'Object', 'Metadata'])}&`
      : '';
    return { method: 'GET', url: `${resources}?${included}${this.#selection()}`, accept };
  }

  #selection(): string {
    const value = this.#random.of(['1', 'x', 'true', '']);
    return this.#random.of([
      '',
      '',
      'labelSelector=a%3D1',
      'labelSelector=a,b',
      'labelSelector=a%3D%3D',
      'fieldSelector=metadata.name%3Dx',
      `fieldSelector=${this.#place('.spec').slice(1)}%3D${value}`,
      `fieldSelector=${this.#place('.spec').slice(1)}!%3D${value},metadata.name!%3Dy`,
      'fieldSelector=metadata.namespace%3Dn',
      'limit=1',
    ]);
  }

  #delete(path: string): SentRequest {
    const options = this.#random.of<object | undefined>([
      undefined,
      undefined,
      { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
      { gracePeriodSeconds: 0, preconditions: { uid: 'x' } },
      { kind: 'DeleteOptions', apiVersion: 'g.io/v1', dryRun: ['All'] },
    ]);
    return this.#request('DELETE', path, json, options);
  }

  #get(url: string): SentRequest {
    return { method: 'GET', url };
  }

  #request(method: string, url: string, contentType: string, body?: object): SentRequest {
    if (body === undefined) return { method, url, contentType };
    return { method, url, contentType, body: Buffer.from(JSON.stringify(body)).toString('base64') };
  }
}

describeUpstream('resources', (upstream) => {
  it('of a definition have upstream’s responses to all verbs', () =>
    compareCases(upstream(), {
      ...customResources,
      randomCase: (random) => new RandomRequests(random).next(),
      difference: differenceOf,
    }));
});
