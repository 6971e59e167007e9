import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { Deployment } from '@apiserver/api/apps/v1';
import { ConfigMap, Namespace, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AuthorizationAttributes,
  Authorizer,
} from '@apiserver/apiserver-contracts';
import { mutatingAdmissionPolicy } from '../policies/mutating/mutating-admission-policy.js';
import { validatingAdmissionPolicy } from '../policies/validating/validating-admission-policy.js';
import { testAttributes } from './attributes.js';
import { type TestObjects, testPluginDependencies } from './plugin-dependencies.js';

/** Upstream's outcomes; not part of the repository. */
export const RECORDED = join(import.meta.dirname, '../../../../../shared/oracles/admission-policies.json');

interface RecordedRequest {
  readonly operation: AdmissionAttributes['operation'];
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: {
    readonly username: string;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
}

interface RecordedRule extends Partial<AuthorizationAttributes> {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason?: string;
  readonly error?: string;
}

export interface RecordedCase {
  readonly name: string;
  readonly plugin: 'validating' | 'mutating';
  readonly policies: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
  readonly params?: readonly KubeObject[];
  readonly authorizer?: readonly RecordedRule[];
  readonly request: RecordedRequest;
  readonly expect: { readonly oneOf?: readonly unknown[] };
}

interface Recording {
  readonly namespaces: readonly KubeObject[];
  readonly cases: readonly RecordedCase[];
}

/** A request, the policies about it, and what they read. */
export type PolicyCase = Omit<RecordedCase, 'name' | 'expect'> & { readonly namespaces: readonly KubeObject[] };

/** The recorded cases. */
export function readCases(): readonly (RecordedCase & PolicyCase)[] {
  const { cases, namespaces }: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));
  return cases.map((recorded) => ({ ...recorded, namespaces }));
}

const CODECS: Readonly<Record<string, KindCodec>> = {
  ConfigMap: codecWithoutDefaults(ConfigMap),
  Deployment: codecWithoutDefaults(Deployment),
  Namespace: codecWithoutDefaults(Namespace),
  Node: codecWithoutDefaults(Node),
  Pod: codecWithoutDefaults(Pod),
  Service: codecWithoutDefaults(Service),
  ValidatingAdmissionPolicy: codecWithoutDefaults(ValidatingAdmissionPolicy),
};

/** The recording is without defaults. */
function codecWithoutDefaults(schema: Parameters<typeof compileKind<KubeObject>>[0]): KindCodec {
  return Object.assign(compileKind(schema), { applyDefaults: () => undefined });
}

function codecOf(kind: string): KindCodec {
  const codec = CODECS[kind];
  if (codec === undefined) throw new TypeError(`there is no codec of ${kind}`);
  return codec;
}

function decoded(object: KubeObject): KubeObject {
  const codec = CODECS[object.kind];
  if (codec === undefined) return object;
  return codec.decodeJson(Buffer.from(JSON.stringify(object)), 'Ignore').object;
}

const MAPPINGS: Readonly<Record<string, { resource: GroupVersionResource; namespaced: boolean }>> = {
  '/v1/ConfigMap': { resource: { group: '', version: 'v1', resource: 'configmaps' }, namespaced: true },
  'rules.example/v1/Limit': {
    resource: { group: 'rules.example', version: 'v1', resource: 'limits' },
    namespaced: false,
  },
  'rules.example/v1/Quotum': {
    resource: { group: 'rules.example', version: 'v1', resource: 'quota' },
    namespaced: true,
  },
};

function dependenciesOf({ policies, bindings, params = [], namespaces, authorizer = [] }: PolicyCase) {
  const objects: TestObjects = {
    namespaces: namespaces.map(decoded),
    validatingadmissionpolicies: [...policies],
    validatingadmissionpolicybindings: [...bindings],
    mutatingadmissionpolicies: [...policies],
    mutatingadmissionpolicybindings: [...bindings],
  };
  for (const param of params) {
    const [group, version] = param.apiVersion.includes('/') ? param.apiVersion.split('/') : ['', param.apiVersion];
    const plural = MAPPINGS[`${group}/${version}/${param.kind}`]?.resource.resource ?? '';
    objects[plural] = [...(objects[plural] ?? []), decoded(param)];
  }
  const dependencies = testPluginDependencies(objects, { enabled: ['MutatingAdmissionPolicy'] });
  return {
    ...dependencies,
    authorizer: recordedAuthorizer(authorizer),
    resourcesOf: async ({ group, version, kind }: GroupVersionKind) => {
      const mapping = MAPPINGS[`${group}/${version}/${kind}`];
      return mapping === undefined ? [] : [mapping];
    },
  };
}

const DECISIONS = { allow: 'Allow', deny: 'Deny', noOpinion: 'NoOpinion' } as const;

/** The first rule whose fields all equal those of the question decides. */
function recordedAuthorizer(rules: readonly RecordedRule[]): Authorizer {
  return {
    authorize(attributes) {
      const asked = new Map<string, unknown>(Object.entries({ ...attributes, user: attributes.user.name }));
      const rule = rules.find(({ decision: _decision, reason: _reason, error: _error, ...fields }) =>
        Object.entries(fields).every(([name, value]) => value === '' || asked.get(name) === value),
      );
      if (rule === undefined) return { decision: 'NoOpinion', reason: selectorsOf(attributes) };
      const { decision, reason = '', error } = rule;
      return { decision: DECISIONS[decision], reason, ...(error === undefined ? {} : { error: new Error(error) }) };
    },
  };
}

/** The selectors of a question, which no rule can name. One that cannot be parsed is absent. */
function selectorsOf({ fieldSelector, labelSelector }: AuthorizationAttributes): string {
  const fields = fieldSelector?.requirements
    .map(({ field, operator, value }) => `${field}${operator}${value}`)
    .join(',');
  return `fields ${fields ?? ''} labels ${labelSelector?.toString() ?? ''}`;
}

/** Runs the plugin of a case as the server's chain does. */
export async function outcomeOf(recorded: PolicyCase): Promise<unknown> {
  const isMutating = recorded.plugin === 'mutating';
  const dependencies = dependenciesOf(recorded);
  const plugin = isMutating ? mutatingAdmissionPolicy(dependencies) : validatingAdmissionPolicy(dependencies);
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const attributes = attributesOf(recorded.request, warnings, annotations);
  if (!plugin.handles(attributes.operation, attributes.scope)) {
    return isMutating ? { handled: false } : { allowed: true };
  }
  const before = JSON.stringify(attributes.object);
  const outcome: Record<string, unknown> = { allowed: true };
  try {
    if (isMutating) await admit(plugin, attributes);
    else await plugin.validate?.(attributes);
    if (isMutating) Object.assign(outcome, changeOf(attributes, before));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const { apiVersion: _apiVersion, kind: _kind, ...status } = error.status;
    Object.assign(outcome, { allowed: false, status });
  }
  if (warnings.length > 0) outcome['warnings'] = warnings;
  if (Object.keys(annotations).length > 0) outcome['auditAnnotations'] = annotations;
  return outcome;
}

async function admit(plugin: AdmissionPlugin, attributes: AdmissionAttributes): Promise<void> {
  await plugin.admit?.(attributes);
  if (attributes.reinvocation?.isRequested !== true) return;
  attributes.reinvocation.isReinvoke = true;
  await plugin.admit?.(attributes);
}

function changeOf({ object, reinvocation }: AdmissionAttributes, before: string): object {
  if (reinvocation?.isRequested !== true && JSON.stringify(object) === before) return { unchanged: true };
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object ?? { metadata: {} };
  return { object: rest, reinvoked: reinvocation?.isRequested };
}

function attributesOf(
  request: RecordedRequest,
  warnings: string[],
  annotations: Record<string, string>,
): AdmissionAttributes {
  const { operation, kind, resource, subResource = '', name = '', namespace = '', userInfo } = request;
  const attributes = testAttributes({
    operation,
    kind,
    resource,
    subresource: subResource,
    name,
    namespace,
    object: request.object && decoded(request.object),
    oldObject: request.oldObject && decoded(request.oldObject),
    user: { name: userInfo.username, groups: userInfo.groups, extra: userInfo.extra ?? {} },
    options: {},
    warnings: { warn: (text) => void warnings.push(text) },
    addAnnotation: (key, value) => {
      // The recording has the last value. A server keeps the first.
      annotations[key] = value;
      return undefined;
    },
  });
  // Without conversions and hand-written defaults.
  const definition: AdmissionAttributes['scope']['definition'] = JSON.parse('{}');
  const versionDefinition: AdmissionAttributes['scope']['versionDefinition'] = JSON.parse('{}');
  const codec = codecOf(request.kind.kind);
  return Object.assign(attributes, { scope: { ...attributes.scope, codec, definition, versionDefinition } });
}
