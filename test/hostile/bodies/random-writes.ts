import { formatGroupVersion } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { encodeCborValue } from '@apiserver/apimachinery/codec/cbor';
import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { Random } from '../../watch/random.ts';
import { type HostileRequest, KIB, MAX_BODY, MIB, sending, type TYPES } from '../hostile-case.ts';
import { repeatedPiece } from './repeated-piece.ts';

/** A kind under attack. */
export interface AttackedKind {
  /** The path of all objects. */
  readonly path: string;
  /** The schema of a built-in kind, for protobuf. */
  readonly schema: KindSchema | undefined;
  /** A valid object without metadata. */
  readonly object: Readonly<Record<string, unknown>>;
  /** Metadata that it needs, besides a name. */
  readonly metadata?: object;
  /** Its name, where another would be refused. */
  readonly name?: string;
  readonly subresources: readonly string[];
  /** False if it can only be created. */
  readonly isStored: boolean;
}

/** Requests in an order, and what they are about. */
export interface RandomWrites {
  readonly title: string;
  readonly requests: readonly HostileRequest[];
}

const SIZES = [64 * KIB, 300 * KIB, MIB, 1.4 * MIB, 2.9 * MIB] as const;
const ACCEPTED = [
  ...['application/json', 'application/yaml', 'application/cbor', 'application/vnd.kubernetes.protobuf'],
  'application/json;as=Table;v=v1;g=meta.k8s.io',
] as const;
/** Metadata with a piece of each sort. */
const METADATA = {
  labels: { a: 'b' },
  annotations: { 'example.com/a': 'b' },
  finalizers: ['example.com/a'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }],
  managedFields: [
    {
      ...{ manager: 'm', operation: 'Update', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1' },
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
    },
  ],
};
const OPTIONS = {
  ...{ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, propagationPolicy: 'Background' },
  ...{ preconditions: { uid: 'u', resourceVersion: '1' }, dryRun: ['All'] },
};

type Form = 'json' | 'yaml' | 'cbor' | 'protobuf';

function encoded(object: Readonly<Record<string, unknown>>, form: Form, schema: KindSchema | undefined) {
  if (form === 'yaml') return encodeYaml(object);
  if (form === 'cbor') return encodeCborValue(object);
  const json = Buffer.from(JSON.stringify(object));
  if (form === 'json' || schema === undefined) return json;
  return inProtobuf(json, schema) ?? json;
}

/** Undefined for an object with a text that protobuf cannot hold, such as no time. */
function inProtobuf(json: Uint8Array, schema: KindSchema): Uint8Array | undefined {
  const codec = compileKind<object>(schema);
  try {
    const decoded = codec.decodeJson(json, 'Ignore').object;
    return codec.encodeProtobuf({ ...decoded, apiVersion: formatGroupVersion(schema.gvk), kind: schema.gvk.kind });
  } catch {
    return undefined;
  }
}

/** Operations of a JSON patch that add the members of an object, again and again. */
function jsonPatch(random: Random, object: Readonly<Record<string, unknown>>, bytes: number): readonly object[] {
  const operations = Object.entries(object).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
  const [from, path] = ['/metadata', '/metadata/annotations'];
  const all = [
    ...operations,
    { op: 'copy', from, path: `${path}/a` },
    { op: 'test', path: '/kind', value: object['kind'] },
    { op: 'replace', path: '/metadata/labels', value: { a: 'b' } },
  ];
  return repeatedPiece(random, { all }, bytes).value as never as readonly object[];
}

/** Writes of one object with a repeated piece, reads of it, and its removal. */
export class WritesOfKind {
  readonly #random: Random;
  readonly #kind: AttackedKind;
  readonly #name: string;

  constructor(random: Random, kind: AttackedKind, name: string) {
    this.#random = random;
    this.#kind = kind;
    this.#name = kind.name ?? name;
  }

  made(): RandomWrites {
    const random = this.#random;
    const { object, path, isStored } = this.#kind;
    const small = this.#named(object, random.chance(0.5) ? METADATA : {});
    const size = random.of(SIZES);
    const first = repeatedPiece(random, small, size);
    const second = random.chance(0.3) ? repeatedPiece(random, first.value as object, size / 2) : undefined;
    const body = (second ?? first).value as Record<string, unknown>;
    const title = `${path}: ${first.path}${second === undefined ? '' : ` and ${second.path}`}, ${size} bytes`;
    if (!isStored || random.chance(0.3)) return { title, requests: [this.#create(body), ...this.#removed()] };
    const way = random.of(['create', 'update', 'merge', 'strategic', 'jsonPatch', 'apply', 'subresource', 'options']);
    return { title: `${title}, ${way}`, requests: [...this.#way(way, small, body), ...this.#removed()] };
  }

  #named(object: Readonly<Record<string, unknown>>, metadata: object): Record<string, unknown> {
    return { ...object, metadata: { ...metadata, ...this.#kind.metadata, name: this.#name } };
  }

  #query(): string {
    const { chance, of } = { chance: (p: number) => this.#random.chance(p), of: this.#random.of.bind(this.#random) };
    const validation = of(['', '&fieldValidation=Strict', '&fieldValidation=Ignore']);
    return `?fieldManager=hostile${validation}${chance(0.3) ? '&dryRun=All' : ''}`;
  }

  #form(): Form {
    return this.#random.of(['json', 'json', 'yaml', 'cbor', 'protobuf']);
  }

  #sent(method: string, path: string, body: Record<string, unknown>, form = this.#form()): HostileRequest {
    const type = form === 'protobuf' && this.#kind.schema === undefined ? 'json' : form;
    return this.#limited(method, path, type, encoded(body, type, this.#kind.schema));
  }

  #limited(method: string, path: string, type: keyof typeof TYPES, body: Uint8Array | string): HostileRequest {
    const limited = body.length <= MAX_BODY ? body : body.slice(0, MAX_BODY);
    const request = sending(method, path, type, limited);
    return { ...request, headers: { ...request.headers, accept: this.#random.of(ACCEPTED) } };
  }

  #create(body: Record<string, unknown>): HostileRequest {
    return this.#sent('POST', this.#kind.path + this.#query(), body);
  }

  get #object(): string {
    return `${this.#kind.path}/${this.#name}`;
  }

  #patch(type: keyof typeof TYPES, body: unknown): HostileRequest {
    const force = type === 'apply' ? '&force=true' : '';
    return this.#limited('PATCH', this.#object + this.#query() + force, type, JSON.stringify(body));
  }

  #way(way: string, small: Record<string, unknown>, body: Record<string, unknown>): readonly HostileRequest[] {
    const created = this.#sent('POST', `${this.#kind.path}?fieldManager=first`, small, 'json');
    switch (way) {
      case 'create':
        return [this.#sent('POST', `${this.#kind.path}?fieldManager=hostile`, body), ...this.#later()];
      case 'update':
        return [created, this.#sent('PUT', this.#object + this.#query(), body), ...this.#later()];
      case 'merge':
      case 'strategic':
        return [created, this.#patch(way, body), ...this.#later(), this.#patch(way, small)];
      case 'jsonPatch':
        return [created, this.#patch(way, jsonPatch(this.#random, body, 300 * KIB)), ...this.#later()];
      case 'apply':
        return [this.#patch(way, body), ...this.#later(), this.#patch(way, small)];
      case 'subresource': {
        const subresource = this.#random.of(['status', ...this.#kind.subresources]);
        return [created, this.#sent('PUT', `${this.#object}/${subresource}${this.#query()}`, body), ...this.#later()];
      }
      default: {
        const options = repeatedPiece(this.#random, OPTIONS, this.#random.of(SIZES)).value as Record<string, unknown>;
        const path = this.#random.of([this.#object, this.#kind.path]) + this.#query();
        return [created, this.#limited('DELETE', path, 'json', JSON.stringify(options))];
      }
    }
  }

  /** Reads and small writes of the stored object. */
  #later(): readonly HostileRequest[] {
    const get = (path: string): HostileRequest => ({
      method: 'GET',
      path,
      headers: { accept: this.#random.of(ACCEPTED) },
    });
    const watch = get(`${this.#kind.path}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=${this.#name}`);
    const patch = { metadata: { annotations: { later: 'x' } } };
    return [
      get(this.#object),
      get(`${this.#kind.path}?labelSelector=a!=c&limit=500`),
      ...(this.#random.chance(0.2) ? [watch] : []),
      sending('PATCH', this.#object, this.#random.of(['merge', 'strategic']), JSON.stringify(patch)),
      this.#patch('apply', { apiVersion: this.#kind.object['apiVersion'], kind: this.#kind.object['kind'], ...patch }),
    ];
  }

  #removed(): readonly HostileRequest[] {
    if (!this.#kind.isStored) return [];
    const gone = { metadata: { finalizers: null } };
    return [
      sending('PATCH', this.#object, 'merge', JSON.stringify(gone)),
      { method: 'DELETE', path: `${this.#object}?gracePeriodSeconds=0` },
    ];
  }
}
