import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { StructSchema } from '@apiserver/apimachinery/schema';

/** The methods of operations, by their names in OpenAPI. */
export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';

/** A parameter in a path or a query. */
export interface RouteParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description?: string | undefined;
}

/** A body that a route takes. */
export interface RouteBody {
  readonly schema: StructSchema;
  readonly required: boolean;
}

/** A possible response of a route. */
export interface RouteResponse {
  readonly code: number;
  readonly description: string;
  /** Undefined: a text. */
  readonly schema: StructSchema | undefined;
}

/**
 * One method of one path, described for both versions of OpenAPI.
 *
 * Upstream: common.Route in k8s.io/kube-openapi/pkg/common
 */
export interface OpenApiRoute {
  /** `/api/v1/namespaces/{namespace}/configmaps` */
  readonly path: string;
  readonly method: HttpMethod;
  /** Starts with a verb in lower case, after which group and version are inserted: `listNamespacedConfigMap`. */
  readonly operation: string;
  readonly description: string;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly RouteParameter[];
  readonly body?: RouteBody;
  readonly responses: readonly RouteResponse[];
  /** The action of the route, and its kind; absent for paths without a resource. */
  readonly action?: { readonly name: string; readonly kind: GroupVersionKind };
}

/** A route's name among all routes, and its place in menus. */
export interface OperationNames {
  readonly operationId: string;
  readonly tags: readonly string[];
}

/** A verb that starts with another one precedes it. */
const verbs = [
  'deletecollection',
  'replace',
  'connect',
  'create',
  'delete',
  'patch',
  'watch',
  'read',
  'list',
  'get',
  'log',
];

/**
 * Inserts group and version into an operation's name, after its verb.
 *
 * Upstream: GetOperationIDAndTags in k8s.io/apiserver/pkg/endpoints/openapi/openapi.go
 */
export function operationNames({ operation, path }: Pick<OpenApiRoute, 'operation' | 'path'>): OperationNames {
  const verb = verbs.find((candidate) => operation.startsWith(candidate)) ?? '';
  const rest = capitalized(operation.slice(verb.length));
  const parts = path.split('/').filter((part) => part !== '');
  const [root = '', ...names] = parts[0] === 'api' ? ['apis', 'core', ...parts.slice(1)] : parts;
  if (root !== 'apis' || names.length === 0) return { operationId: verb + rest, tags: [identifier(root)] };
  const [group = '', version] = [names[0]?.replace(/\.k8s\.io$/, ''), names[1]];
  const behind = version === undefined ? '' : capitalized(identifier(version));
  const tag = version === undefined ? identifier(group) : `${identifier(group)}_${identifier(version)}`;
  return { operationId: verb + capitalized(identifier(group)) + behind + rest, tags: [tag] };
}

/** Letters, digits and underscores; text after any other character is capitalised. */
function identifier(text: string): string {
  return text.replace(/[^\p{L}\p{Nd}_]+(.?)/gu, (_, next: string) => next.toUpperCase());
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
