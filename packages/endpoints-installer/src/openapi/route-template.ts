import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { KindSchema, StructSchema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import type { ServedEndpoint } from '../discovery/served-endpoint.js';
import { streamMediaTypes } from '../negotiation/media-types.js';
import { resourcePolicyOf } from '../semantics/policies.js';
import type { OpenApiPolicy } from '../semantics/resource-policy.js';
import type { RouteParameter } from './open-api-route.js';
import { nameParameter, type VerbParameters } from './route-parameters.js';

/** The common properties of one endpoint's routes. */
export interface Template {
  readonly endpoint: ServedEndpoint;
  readonly definition: AnyResourceDefinition;
  /** Kind of the resource, which also names the operations of its subresources. */
  readonly kind: string;
  readonly object: StructSchema;
  readonly root: string;
  readonly parameters: VerbParameters;
  readonly mediaTypes: readonly string[];
  readonly streamTypes: readonly string[];
  readonly patchTypes: readonly string[];
  readonly policy: OpenApiPolicy;
}

/** Creates the template of an endpoint below the root of its group version. */
export function createTemplate(root: string, endpoint: ServedEndpoint, parameters: VerbParameters): Template {
  const { definition } = endpoint.installed;
  const { openApi: policy, patchTypes } = resourcePolicyOf(definition);
  return {
    endpoint,
    definition,
    kind: ownSchema(endpoint)?.gvk.kind ?? definition.kind,
    object: endpoint.schema.schema,
    root,
    parameters,
    mediaTypes: policy.produces,
    streamTypes: policy.documentsWatches ? streamMediaTypes(policy.produces) : [],
    patchTypes,
    policy,
  };
}

/** The kind that operations of the endpoint name. */
export function namedKind({ endpoint, policy }: Template): GroupVersionKind {
  return ((policy.namesResourceKind && ownSchema(endpoint)) || endpoint.schema).gvk;
}

function ownSchema({ installed, version }: ServedEndpoint): KindSchema | undefined {
  return installed.definition.versions.find((candidate) => candidate.version === version)?.schema;
}

/** The place of a route: its path, the parameters in it, and the name of its operation. */
export interface Place {
  readonly path: string;
  readonly parameters: readonly RouteParameter[];
  readonly name: string;
}

/** One object of the endpoint. The parameter `name` is described by `kind`. */
export function itemPlace(template: Template, kind: string): Place {
  const { path, parameters, name } = collectionPlace(template);
  const { subresource } = template.endpoint;
  return {
    path: `${path}/{name}${subresource === '' ? '' : `/${subresource}`}`,
    parameters: [nameParameter(kind), ...parameters],
    name: name + subresource.charAt(0).toUpperCase() + subresource.slice(1),
  };
}

/** All objects of the endpoint's resource, or those of one namespace if it has namespaces. */
export function collectionPlace({ root, definition, kind, parameters }: Template): Place {
  const { resource, scope } = definition;
  if (scope === 'Cluster') return { path: `${root}/${resource}`, parameters: [], name: kind };
  const path = `${root}/namespaces/{namespace}/${resource}`;
  return { path, parameters: [parameters.namespace], name: `Namespaced${kind}` };
}

/** `a Pod`, `an Ingress`. Upstream: GetArticleForNoun in k8s.io/apiserver/pkg/endpoints/installer.go */
export function withArticle(kind: string): string {
  if (/[^s]s$/.test(kind)) return kind;
  return /^[aeiou]/i.test(kind) ? `an ${kind}` : `a ${kind}`;
}
