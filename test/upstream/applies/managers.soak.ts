import { formatGroupVersion } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { comparedKinds, type KindVersions, withVersions } from '../compared-kinds.ts';
import { isScalable, type SentRequest } from '../our-server.ts';
import { randomPatch } from '../random-patch.ts';
import { randomValue } from '../random-value.ts';
import { collectionOf, type ServedCase, served, servedCase } from '../served-case.ts';
import { describeUpstream } from '../upstream-program.ts';
import { PLAIN_VALUES, type Variation, variedValue } from './varied-value.ts';

const KINDS = await comparedKinds();
const VERSIONED = withVersions(KINDS);
const SCALED = KINDS.filter((kind) => isScalable(kind) && kind.gvk.version === 'v1') as [KindSchema];
/** Kinds whose versions differ in more than their names. */
const CONVERTED = VERSIONED.filter(({ hub: { gvk } }) =>
  ['HorizontalPodAutoscaler', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice', 'Event'].includes(gvk.kind),
) as [KindVersions];

const json = 'application/json';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** More than keep an entry of their own: the oldest updates are joined. */
const MANY_MANAGERS = Array.from({ length: 14 }, (_, at) => `m${at}`) as [string];
const FEW_MANAGERS = ['m', 'n', 'o'] as const;

const OTHER_WRITER: Variation = { dropped: 0.2, changed: 0.06, added: 0.1 };
const SAME_WRITER: Variation = { dropped: 0.08, changed: 0.04, added: 0.08 };

/** Changes of an entry of managed fields by hand. */
const MANAGED_EDITS = [
  { op: 'remove', path: '/metadata/managedFields' },
  { op: 'replace', path: '/metadata/managedFields', value: [] },
  { op: 'replace', path: '/metadata/managedFields', value: [{}] },
  { op: 'remove', path: '/metadata/managedFields/0' },
  { op: 'remove', path: '/metadata/managedFields/1' },
  { op: 'remove', path: '/metadata/managedFields/0/time' },
  { op: 'remove', path: '/metadata/managedFields/0/fieldsV1' },
  { op: 'remove', path: '/metadata/managedFields/0/fieldsV1/f:spec' },
  { op: 'remove', path: '/metadata/managedFields/0/fieldsV1/f:metadata' },
  { op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Update' },
  { op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Apply' },
  { op: 'replace', path: '/metadata/managedFields/0/manager', value: 'n' },
  { op: 'replace', path: '/metadata/managedFields/0/manager', value: '' },
  { op: 'replace', path: '/metadata/managedFields/0/apiVersion', value: 'g.io/v9' },
  { op: 'replace', path: '/metadata/managedFields/0/apiVersion', value: '' },
  { op: 'add', path: '/metadata/managedFields/0/subresource', value: 'status' },
  { op: 'add', path: '/metadata/managedFields/0/subresource', value: 'scale' },
  { op: 'remove', path: '/metadata/managedFields/0/subresource' },
  { op: 'replace', path: '/metadata/managedFields/0/fieldsType', value: '' },
  { op: 'replace', path: '/metadata/managedFields/0/fieldsV1', value: { 'f:spec': {} } },
  { op: 'replace', path: '/metadata/managedFields/0/fieldsV1', value: { '.': {}, 'x:spec': {} } },
  { op: 'add', path: '/metadata/managedFields/0/fieldsV1/f:zz', value: { 'f:a': {}, '.': {}, 'k:{"name":"a"}': {} } },
  { op: 'add', path: '/metadata/managedFields/0/fieldsV1/f:spec', value: {} },
  { op: 'add', path: '/metadata/managedFields/0/fieldsV1/f:spec/f:replicas', value: {} },
  { op: 'add', path: '/metadata/managedFields/0/fieldsV1/f:metadata', value: { 'f:labels': { 'f:a': {} } } },
  { op: 'copy', from: '/metadata/managedFields/0', path: '/metadata/managedFields/-' },
] as const;

type Content = Record<string, unknown>;

/** Writes of several managers, through one or several versions, to one object of a built-in kind. */
class RandomWriters {
  readonly #random: Random;
  readonly #hub: KindSchema;
  readonly #others: readonly KindSchema[];
  readonly #versions: readonly [KindSchema, ...KindSchema[]];
  readonly #managers: readonly [string, ...string[]];
  /** The common content of the object, in each version. */
  readonly #common = new Map<KindSchema, Content>();
  /** The last configuration of each manager, by its name, version and part. */
  readonly #applied = new Map<string, Content>();
  readonly #isScaled: boolean;
  readonly #hasStatus: boolean;

  constructor(random: Random) {
    this.#random = random;
    const { hub, others } = randomKind(random);
    this.#hub = hub;
    this.#others = others;
    this.#versions = [hub, ...others];
    this.#managers = random.chance(0.06) ? MANY_MANAGERS : random.chance(0.1) ? ['kubectl', 'm'] : FEW_MANAGERS;
    this.#isScaled = isScalable(hub);
    this.#hasStatus = hub.schema.fields.some(({ name }) => name === 'status');
    const shared = this.#content(hub);
    const isConverted = CONVERTED.some((kind) => kind.hub === hub);
    for (const version of this.#versions) this.#common.set(version, isConverted ? this.#content(version) : shared);
  }

  next(): ServedCase {
    const requests = [this.#first()];
    const steps = 3 + this.#random.below(this.#managers === MANY_MANAGERS ? 25 : 10);
    for (let step = 0; step < steps; step++) requests.push(this.#write());
    return servedCase(this.#hub, requests, { stored: true, others: this.#others });
  }

  #content({ schema }: KindSchema): Content {
    const {
      metadata: _,
      kind: _kind,
      apiVersion: _version,
      ...content
    } = randomValue(this.#random, schema, {
      fields: 0.35,
      ...PLAIN_VALUES,
    }) as Content;
    return content;
  }

  #first(): SentRequest {
    const version = this.#random.of(this.#versions);
    if (this.#random.chance(0.4)) return this.#apply(version);
    return this.#create(version);
  }

  #write(): SentRequest {
    const random = this.#random;
    const version = random.of(this.#versions);
    if (this.#isScaled && version === this.#hub && random.chance(0.2)) return this.#scale();
    const kind = random.next();
    if (kind < 0.42) return this.#apply(version);
    if (kind < 0.57) return this.#update(version);
    if (kind < 0.68) return this.#patch(version, mergePatch, this.#varied(version, OTHER_WRITER));
    if (kind < 0.76) return this.#patch(version, strategicPatch, this.#varied(version, OTHER_WRITER));
    if (kind < 0.84) {
      const { type, body } = randomPatch(random, version, () => this.#object(version, {}));
      return this.#patch(version, type, body as object);
    }
    if (kind < 0.9) return this.#patch(version, jsonPatch, [random.of<object>(MANAGED_EDITS)], '');
    if (kind < 0.93) return this.#create(version);
    const method = kind < 0.95 ? 'DELETE' : 'GET';
    return { method, url: `${collectionOf(version)}/a${method === 'GET' ? this.#part() : ''}` };
  }

  #create(version: KindSchema): SentRequest {
    return this.#send('POST', `${collectionOf(version)}?${this.#query()}`, json, this.#owned(version));
  }

  #update(version: KindSchema): SentRequest {
    return this.#send('PUT', `${this.#path(version, this.#part())}?${this.#query()}`, json, this.#owned(version));
  }

  #patch(version: KindSchema, type: string, body: object, part = this.#part()): SentRequest {
    const force = type === apply ? '&force=true' : '';
    return this.#send('PATCH', `${this.#path(version, part)}?${this.#query()}${force}`, type, body);
  }

  #apply(version: KindSchema): SentRequest {
    const random = this.#random;
    const manager = random.of(this.#managers);
    const part = this.#part();
    const key = `${manager} ${formatGroupVersion(version.gvk)} ${part}`;
    const last = this.#applied.get(key);
    const variation = last === undefined || random.chance(0.15) ? OTHER_WRITER : SAME_WRITER;
    const content = this.#varied(version, variation, random.chance(0.85) ? last : undefined);
    this.#applied.set(key, content);
    const force = random.chance(0.45) ? '&force=true' : '';
    const query = `fieldManager=${manager}${random.chance(0.06) ? '&dryRun=All' : ''}${force}`;
    return this.#send('PATCH', `${this.#path(version, part)}?${query}`, apply, this.#object(version, content));
  }

  #scale(): SentRequest {
    const random = this.#random;
    const path = this.#path(this.#hub, '/scale');
    const spec = random.chance(0.85) ? { replicas: random.of([0, 1, 2, 80]) } : {};
    const status = random.chance(0.15) ? { status: { replicas: random.of([1, 2]), selector: 'a=b' } } : {};
    const metadata = { name: 'a', namespace: 'n' };
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec, ...status };
    const kind = random.next();
    if (kind < 0.45) {
      const force = random.chance(0.5) ? '&force=true' : '';
      return this.#send('PATCH', `${path}?${this.#query()}${force}`, apply, scale);
    }
    if (kind < 0.65) return this.#send('PUT', `${path}?${this.#query()}`, json, scale);
    if (kind < 0.75) return this.#send('PATCH', `${path}?${this.#query()}`, mergePatch, { spec, ...status });
    if (kind < 0.85) return this.#send('PATCH', `${path}?${this.#query()}`, strategicPatch, { spec });
    if (kind < 0.95) {
      const edit = random.of<object>([...MANAGED_EDITS, { op: 'replace', path: '/spec/replicas', value: 3 }]);
      return this.#send('PATCH', `${path}?${this.#query()}`, jsonPatch, [edit]);
    }
    return { method: 'GET', url: path };
  }

  #part(): string {
    return this.#hasStatus && this.#random.chance(0.2) ? '/status' : '';
  }

  #path(version: KindSchema, part: string): string {
    return `${collectionOf(version)}/a${part}`;
  }

  #query(): string {
    const manager = this.#random.chance(0.05) ? '' : `fieldManager=${this.#random.of(this.#managers)}`;
    return `${manager}${this.#random.chance(0.06) ? '&dryRun=All' : ''}`;
  }

  #varied(version: KindSchema, variation: Variation, last = this.#common.get(version) ?? {}): Content {
    const { metadata: _, ...content } = variedValue(this.#random, version.schema, last, {
      ...variation,
      changed: 0,
    }) as Content;
    const varied = Object.entries(content).map(([name, member]): [string, unknown] => {
      const field = version.schema.fields.find((one) => one.name === name);
      return [name, field === undefined ? member : variedValue(this.#random, field.schema, member, variation)];
    });
    return this.#withSelector(Object.fromEntries(varied));
  }

  /** Go reports any fault of a selector with several ones, so that a scale has none. */
  #withSelector({ spec, ...content }: Content): Content {
    if (!this.#isScaled || typeof spec !== 'object' || spec === null)
      return spec === undefined ? content : { ...content, spec };
    const operator = this.#random.chance(0.02) ? 'x' : 'Exists';
    const selector = this.#random.of([{ matchLabels: { a: 'b' } }, { matchExpressions: [{ key: 'a', operator }] }]);
    return { ...content, spec: { ...spec, selector } };
  }

  /** The whole object, with the managed fields that a client may send. */
  #owned(version: KindSchema): object {
    const random = this.#random;
    const object = this.#object(version, this.#varied(version, SAME_WRITER));
    const kind = random.next();
    if (kind > 0.15) return object;
    return { ...object, metadata: { ...object.metadata, managedFields: this.#sentManagers(version, kind) } };
  }

  #sentManagers(version: KindSchema, kind: number): object[] {
    if (kind < 0.05) return [];
    if (kind < 0.07) return [{}];
    const random = this.#random;
    const entry = () => ({
      manager: random.of(this.#managers),
      operation: random.of(['Apply', 'Update']),
      apiVersion: formatGroupVersion(random.of([version, ...this.#versions]).gvk),
      time: '2024-01-02T03:04:05Z',
      fieldsType: 'FieldsV1',
      fieldsV1: random.of<object>([
        { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
        { 'f:spec': { '.': {} }, 'f:status': {} },
        { 'f:data': { '.': {}, 'f:a': {} } },
        {},
      ]),
      ...(random.chance(0.1) && { subresource: random.of(['status', 'scale']) }),
    });
    return random.chance(0.5) ? [entry()] : [entry(), entry()];
  }

  #object(version: KindSchema, content: Content): Content & { readonly metadata: object } {
    return {
      ...content,
      apiVersion: formatGroupVersion(version.gvk),
      kind: version.gvk.kind,
      metadata: this.#metadata(version, content),
    };
  }

  #metadata({ gvk }: KindSchema, content: Content): object {
    const random = this.#random;
    const few = () =>
      Object.fromEntries(['a', 'b'].filter(() => random.chance(0.5)).map((key) => [key, random.of(['1', '2'])]));
    const configuration = { apiVersion: formatGroupVersion(gvk), kind: gvk.kind, ...content };
    const annotations = {
      ...few(),
      ...(this.#managers[0] === 'kubectl' && random.chance(0.4) && { [LAST_APPLIED]: JSON.stringify(configuration) }),
    };
    return {
      name: 'a',
      ...(random.chance(0.4) && { labels: few() }),
      ...(random.chance(0.3) && { annotations }),
      ...(random.chance(0.1) && { finalizers: random.of([['x/y'], ['x/y', 'z/w'], []]) }),
      ...(random.chance(0.1) && {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: random.of(['p', 'q']), uid: random.of(['1', '2']) }],
      }),
    };
  }

  #send(method: string, url: string, contentType: string, body: object): SentRequest {
    return { method, url, contentType, body: Buffer.from(JSON.stringify(body)).toString('base64') };
  }
}

function randomKind(random: Random): KindVersions {
  const kind = random.next();
  if (kind < 0.2) return random.of(CONVERTED);
  if (kind < 0.35) return { hub: random.of(SCALED), others: [] };
  if (kind < 0.65) return random.of(VERSIONED);
  return { hub: random.of(KINDS), others: [] };
}

describeUpstream('writes of several managers', (upstream) => {
  it('to built-in kinds get the responses of upstream’s handlers', () =>
    compareCases(upstream(), { ...served, randomCase: (random) => new RandomWriters(random).next() }));
});
