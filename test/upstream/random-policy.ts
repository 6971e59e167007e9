import type { PolicyCase } from '@apiserver/admission/testing';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Random } from '../watch/random.ts';
import { RandomExpression, type TypedPath } from './expressions/random-expression.ts';
import { AUTHORIZER, BY_KIND, PARAMS, SHARED } from './policy-paths.ts';
import { randomPod, randomService } from './random-workload.ts';

const GROUP_VERSION = 'admissionregistration.k8s.io/v1';
const WORDS = ['a', 'b', 'prod', 'dev', 'web', ''] as const;

const NAMESPACES = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'prod', labels: { env: 'prod' } },
    status: { phase: 'Active' },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dev', labels: { env: 'dev' }, annotations: { a: '1' } } },
] as unknown as readonly KubeObject[];

type Kind = keyof typeof BY_KIND;
const RESOURCES = {
  Pod: { group: '', version: 'v1', resource: 'pods' },
  Service: { group: '', version: 'v1', resource: 'services' },
  ConfigMap: { group: '', version: 'v1', resource: 'configmaps' },
  Deployment: { group: 'apps', version: 'v1', resource: 'deployments' },
} as const;

/** Random policies, and a request about an object. */
export class RandomPolicy {
  readonly #random: Random;
  readonly #kind: Kind;
  readonly #isMutating: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#kind = random.of(['ConfigMap', 'ConfigMap', 'Deployment', 'Pod', 'Pod', 'Service']);
    this.#isMutating = random.chance(0.4);
  }

  case(): PolicyCase {
    const count = this.#random.of([1, 1, 1, 2]);
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    const policies = names.map((name) => this.#policy(name));
    const bindings = policies.flatMap(({ metadata, spec }) =>
      this.#bindings(metadata.name, spec.paramKind !== undefined),
    );
    const operation = this.#random.of(['CREATE', 'UPDATE', this.#isMutating ? 'CREATE' : 'DELETE'] as const);
    const { group, version, resource } = RESOURCES[this.#kind];
    const object = this.#object();
    return {
      plugin: this.#isMutating ? 'mutating' : 'validating',
      policies: policies as unknown as readonly KubeObject[],
      bindings: bindings as unknown as readonly KubeObject[],
      params: this.#params() as readonly KubeObject[],
      namespaces: NAMESPACES,
      authorizer: this.#authorizer(),
      request: {
        operation,
        kind: { group, version, kind: this.#kind },
        resource: { group, version, resource },
        name: 'web',
        namespace: object.metadata.namespace ?? '',
        userInfo: {
          username: this.#random.of(['alice', 'bob']),
          groups: ['dev', 'system:authenticated'],
          ...(this.#random.chance(0.3) && { extra: { k: ['x', 'y'], 'a.b/c': [] } }),
        },
        ...(operation === 'DELETE' ? {} : { object }),
        ...(operation === 'CREATE' ? {} : { oldObject: this.#object() }),
      },
    };
  }

  #authorizer(): NonNullable<PolicyCase['authorizer']> {
    return [
      { verb: 'get', decision: this.#random.of(['allow', 'deny', 'noOpinion']), reason: this.#random.of(WORDS) },
      { verb: 'delete', decision: 'noOpinion', ...(this.#random.chance(0.5) && { error: 'down' }) },
    ];
  }

  #object(): KubeObject {
    const { group, version } = RESOURCES[this.#kind];
    const metadata = {
      name: 'web',
      namespace: this.#random.of(['prod', 'dev']),
      ...(this.#random.chance(0.6) && { labels: { a: this.#word(), b: this.#word() } }),
      ...(this.#random.chance(0.3) && { finalizers: ['x'] }),
    };
    const head = { apiVersion: group === '' ? version : `${group}/${version}`, kind: this.#kind, metadata };
    if (this.#kind === 'ConfigMap') {
      const data = { a: this.#word(), ...(this.#random.chance(0.5) && { b: '3' }) };
      return {
        ...head,
        ...(this.#random.chance(0.8) && { data }),
        ...(this.#random.chance(0.2) && { immutable: true }),
      };
    }
    if (this.#kind === 'Pod') return randomPod(this.#random, head);
    if (this.#kind === 'Service') return randomService(this.#random, head);
    const containers = Array.from({ length: 1 + this.#random.below(2) }, (_, index) => ({
      name: `c${index}`,
      image: this.#word(),
      ...(this.#random.chance(0.4) && { ports: [{ containerPort: 80, protocol: 'TCP' }] }),
      ...(this.#random.chance(0.3) && { resources: { limits: { cpu: '100m' } } }),
    }));
    const spec = {
      ...(this.#random.chance(0.7) && { replicas: this.#random.below(5) }),
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
    };
    return { ...head, spec } as KubeObject;
  }

  #word(): string {
    return this.#random.of(WORDS);
  }

  #params(): object[] {
    const map = (name: string, namespace: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels: { l: this.#random.of(['1', '2']) } },
      ...(this.#random.chance(0.8) && { data: { a: this.#word() } }),
    });
    const limit = {
      apiVersion: 'rules.example/v1',
      kind: 'Limit',
      metadata: { name: 'x', labels: { l: '1' } },
      spec: { most: this.#random.below(4), text: this.#word() },
    };
    return [map('x', 'prod'), map('y', 'prod'), map('x', 'dev'), limit].filter(() => this.#random.chance(0.8));
  }

  #policy(name: string) {
    const hasParams = this.#random.chance(0.4);
    const paramKind = this.#random.of([
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'rules.example/v1', kind: 'Limit' },
    ]);
    const scope = [...SHARED, ...BY_KIND[this.#kind], ...(hasParams || this.#random.chance(0.02) ? PARAMS : [])];
    const variables = Array.from({ length: this.#random.below(3) }, (_, index) => {
      const type = this.#random.of(['int', 'string', 'bool', 'strings', 'any', 'map']);
      const expression = new RandomExpression(this.#random, scope).text(type);
      scope.push({ path: `variables.v${index}`, type });
      return { name: `v${index}`, expression };
    });
    const all = new RandomExpression(this.#random, [...scope, ...AUTHORIZER]);
    const withoutAuthorizer = new RandomExpression(this.#random, scope);
    const kind = this.#isMutating ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy';
    return {
      apiVersion: GROUP_VERSION,
      kind,
      metadata: { name },
      spec: {
        failurePolicy: this.#random.of(['Fail', 'Fail', 'Ignore']),
        matchConstraints: this.#matchResources(true),
        ...(hasParams && { paramKind }),
        ...(variables.length > 0 && { variables }),
        ...(this.#random.chance(0.25) && {
          matchConditions: Array.from({ length: 1 + this.#random.below(2) }, (_, index) => ({
            name: `m${index}`,
            expression: all.text('bool'),
          })),
        }),
        ...(this.#isMutating ? this.#mutations(scope) : this.#validations(all, withoutAuthorizer)),
      },
    };
  }

  #matchResources(required: boolean): object {
    const rule = {
      operations: [this.#random.of(['*', '*', '*', 'CREATE'])],
      apiGroups: ['*'],
      apiVersions: ['*'],
      resources: [this.#random.of(['*', '*', 'configmaps'])],
      scope: '*',
    };
    const labels = this.#random.of([
      {},
      {},
      { matchLabels: { env: 'prod' } },
      { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
    ]);
    return {
      matchPolicy: 'Equivalent',
      namespaceSelector: this.#random.chance(0.2) ? labels : {},
      objectSelector: this.#random.chance(0.1) ? labels : {},
      ...((required || this.#random.chance(0.2)) && { resourceRules: [rule] }),
    };
  }

  #bindings(policyName: string, hasParams: boolean): object[] {
    return Array.from({ length: this.#random.of([1, 1, 2]) }, (_, index) => ({
      apiVersion: GROUP_VERSION,
      kind: this.#isMutating ? 'MutatingAdmissionPolicyBinding' : 'ValidatingAdmissionPolicyBinding',
      metadata: { name: `${policyName}-b${index}` },
      spec: {
        policyName,
        ...(!this.#isMutating && {
          validationActions: this.#random.of([
            ['Deny'],
            ['Deny'],
            ['Warn'],
            ['Audit'],
            ['Deny', 'Audit'],
            ['Warn', 'Audit'],
          ]),
        }),
        ...(hasParams && this.#random.chance(0.9) && { paramRef: this.#paramRef() }),
        ...(this.#random.chance(0.2) && { matchResources: this.#matchResources(false) }),
      },
    }));
  }

  #paramRef(): object {
    const parameterNotFoundAction = this.#random.of(['Allow', 'Deny']);
    if (this.#random.chance(0.3)) {
      return { selector: { matchLabels: { l: this.#random.of(['1', '2', '3']) } }, parameterNotFoundAction };
    }
    return {
      name: this.#random.of(['x', 'x', 'y', 'none']),
      parameterNotFoundAction,
      ...(this.#random.chance(0.3) && { namespace: 'prod' }),
    };
  }

  #validations(all: RandomExpression, withoutAuthorizer: RandomExpression): object {
    return {
      validations: Array.from({ length: this.#random.of([1, 1, 2, 3]) }, () => ({
        expression: all.text('bool'),
        ...(this.#random.chance(0.3) && { message: this.#random.of(['no', 'not this', ' spaced ']) }),
        ...(this.#random.chance(0.4) && { messageExpression: withoutAuthorizer.text('string') }),
        ...(this.#random.chance(0.3) && {
          reason: this.#random.of(['Forbidden', 'Invalid', 'Unauthorized', 'RequestEntityTooLarge']),
        }),
      })),
      ...(this.#random.chance(0.3) && {
        auditAnnotations: [{ key: 'k', valueExpression: this.#random.chance(0.8) ? all.text('string') : 'null' }],
      }),
    };
  }

  #mutations(scope: readonly TypedPath[]): object {
    const expression = new RandomExpression(this.#random, scope);
    return {
      reinvocationPolicy: this.#random.of(['Never', 'IfNeeded']),
      mutations: Array.from({ length: this.#random.of([1, 1, 2]) }, () =>
        this.#random.chance(0.5)
          ? { patchType: 'JSONPatch', jsonPatch: { expression: this.#jsonPatch(expression) } }
          : { patchType: 'ApplyConfiguration', applyConfiguration: { expression: this.#configuration(expression) } },
      ),
    };
  }

  #jsonPatch(expression: RandomExpression): string {
    const operations = Array.from({ length: 1 + this.#random.below(2) }, () => {
      const op = this.#random.of(['add', 'add', 'add', 'replace', 'remove', 'test', 'copy', 'move', 'other']);
      const path = this.#random.of([
        '"/metadata/labels"',
        '"/metadata/labels/a"',
        '"/metadata/annotations"',
        '"/data/x"',
        '"/data/" + jsonpatch.escapeKey({string})',
        '"/spec/replicas"',
        '"/spec/template/spec/containers/0/image"',
        '"/spec/template/spec/containers/-"',
        '"/spec/paused"',
        '"/missing/x"',
        '"bad"',
        '"/" + {string}',
      ]);
      const value = this.#random.of([
        '{string}',
        '{string}',
        '{int}',
        '{bool}',
        '{any}',
        '{"a": {string}}',
        'Object.metadata.labels{a: {string}}',
        'Object.spec.template.spec.containers{name: "new", image: {string}}',
        'null',
        '{map}',
        '[{string}]',
      ]);
      const from = op === 'copy' || op === 'move' ? ', from: "/metadata/labels"' : `, value: ${value}`;
      return `JSONPatch{op: "${op}", path: ${path}${op === 'remove' ? '' : from}}`;
    });
    const all = `[${operations.join(', ')}]`;
    return this.#fill(this.#random.chance(0.3) ? `({bool} ? ${all} : [])` : all, expression);
  }

  #configuration(expression: RandomExpression): string {
    const text = this.#random.of([
      'Object{metadata: Object.metadata{labels: {"a": {string}}}}',
      'Object{metadata: Object.metadata{annotations: {{string}: {string}}}}',
      'Object{metadata: Object.metadata{labels: Object.metadata.labels{x: {string}}}}',
      'Object{data: {"x": {string}}}',
      'Object{data: {"x": {any}}}',
      'Object{immutable: {bool}}',
      'Object{immutable: {type}}',
      'Object{spec: Object.spec{replicas: {quantity}}}',
      'Object{data: {"x": {type}}, immutable: {duration}}',
      'Object{spec: Object.spec{replicas: {int}}}',
      'Object{spec: Object.spec{replicas: {any}}}',
      'Object{spec: Object.spec{paused: {bool}, minReadySeconds: {int}}}',
      'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "c0", image: {string}}]}}}}',
      'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: {string}}]}}}}',
      'Object{?metadata: optional.none()}',
      'Object{}',
      'Object{unknown: {int}}',
      'Object{unknown: {any}, other: {any}, data: {any}}',
      'Object{metadata: {any}, spec: {any}, immutable: {any}}',
      'Object{metadata: Object.metadata{finalizers: [{any}, {string}], labels: {anys}}}',
      'Object{metadata: Object.metadata{finalizers: {strings}, generation: {any}, unknown: {any}}}',
      'Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: {any}, name: {string}}]}}',
      'Object{spec: Object.spec{replicas: {any}, paused: {any}, unknown: {int}}}',
      'Object{spec: Object.spec{selector: {any}, template: Object.spec.template{spec: {any}}}}',
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: {any}, image: {any}}]}}',
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "c0", ports: [{any}]}]}}',
      'Object{spec: Object.spec{containers: [{"name": {string}}, {any}]}}',
      'Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: {string}}], nodeSelector: {map}}}',
      'Object{spec: Object.spec{ports: [Object.spec.ports{port: {int}, targetPort: {any}}], clusterIP: {any}}}',
      'Object{spec: Object.spec{ports: [Object.spec.ports{port: {any}, protocol: {any}, other: {any}}]}}',
      'Object{data: {tables}}',
      'Object{binaryData: {"x": {bytes}}, data: {strings}}',
      'Object{?data: {optionalMap}, ?immutable: {optionalAny}}',
      '{map}',
    ]);
    return this.#fill(this.#random.chance(0.2) ? `({bool} ? ${text} : Object{})` : text, expression);
  }

  #fill(template: string, expression: RandomExpression): string {
    return template.replaceAll(
      /\{(string|int|bool|bytes|any|anys|map|strings|tables|type|quantity|duration|optionalMap|optionalAny)\}/g,
      (_, type: string) => expression.text(type),
    );
  }
}
