import type { Describe } from '@apiserver/api';
import { groupVersionPath } from '@apiserver/apimachinery';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import { servedEndpoints } from '../discovery/served-endpoint.js';
import type { ServedVersion } from '../discovery/served-group.js';
import { connectionRoutes } from './connection-routes.js';
import { customListSchema } from './custom-list-schema.js';
import { deleteOptionsSchema, listSchema, patchSchema, statusSchema, watchEventSchema } from './meta-definitions.js';
import type { HttpMethod, OpenApiRoute, RouteBody, RouteParameter, RouteResponse } from './open-api-route.js';
import type { VerbParameters } from './route-parameters.js';
import {
  collectionPlace,
  createTemplate,
  itemPlace,
  namedKind,
  type Place,
  type Template,
  withArticle,
} from './route-template.js';

/**
 * The routes of every resource of a version, watch paths included.
 *
 * Upstream: registerResourceHandlers in k8s.io/apiserver/pkg/endpoints/installer.go
 */
export function* resourceRoutes(
  group: string,
  served: ServedVersion,
  parameters: VerbParameters,
  describe: Describe,
): Generator<OpenApiRoute, void> {
  const root = groupVersionPath({ group, version: served.version });
  for (const resource of served.resources) {
    for (const endpoint of servedEndpoints(resource, served.version, resource.definition.verbs)) {
      const template = createTemplate(root, endpoint, parameters);
      yield* connectionRoutes(template, describe) ?? endpointRoutes(template);
    }
  }
}

function endpointRoutes(template: Template): OpenApiRoute[] {
  const { verbs } = template.endpoint;
  const routes = verbs.flatMap((verb) => verbRoutes[verb]?.(template) ?? []);
  return verbs.includes('list') && documentsWatch(template) ? [...routes, ...watchListRoutes(template)] : routes;
}

function documentsWatch({ endpoint, policy }: Template): boolean {
  return policy.documentsWatches && endpoint.verbs.includes('watch');
}

/** The routes of each verb of discovery. */
const verbRoutes: Readonly<Record<string, (template: Template) => readonly OpenApiRoute[]>> = {
  get: (template) => [
    itemRoute(template, 'get', {
      action: 'get',
      operation: 'read',
      description: `read ${ofItem(template)}`,
      parameters: template.policy.documentsGetOptions ? template.parameters.get : [],
      responses: [ok(template.object)],
    }),
  ],
  update: (template) => [
    itemRoute(template, 'put', {
      action: 'put',
      operation: 'replace',
      description: `replace ${ofItem(template)}`,
      parameters: template.parameters.update,
      body: { schema: template.object, required: true },
      responses: [ok(template.object), created(template.object)],
    }),
  ],
  patch: (template) => [
    itemRoute(template, 'patch', {
      action: 'patch',
      operation: 'patch',
      description: `partially update ${ofItem(template)}`,
      parameters: template.parameters.patch,
      consumes: template.patchTypes,
      body: { schema: patchSchema, required: true },
      responses: [ok(template.object), ...(template.policy.documentsCreatingPatch ? [created(template.object)] : [])],
    }),
  ],
  delete: (template) => [
    itemRoute(template, 'delete', {
      action: 'delete',
      operation: 'delete',
      description: `delete ${withArticle(template.kind)}`,
      parameters: template.parameters.delete,
      body: { schema: deleteOptionsSchema, required: false },
      responses: [ok(deleteResponse(template)), accepted(deleteResponse(template))],
    }),
  ],
  create: (template) => [createRoute(template)],
  list: (template) => listRoutes(template),
  deletecollection: (template) => [deleteCollectionRoute(template)],
  watch: (template) => (documentsWatch(template) ? [watchRoute(template)] : []),
};

/** The specifics of one route. */
interface Specifics {
  readonly action: string;
  readonly operation: string;
  readonly description: string;
  readonly parameters?: readonly RouteParameter[];
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly body?: RouteBody;
  readonly responses: readonly RouteResponse[];
}

function itemRoute(template: Template, method: HttpMethod, specifics: Specifics): OpenApiRoute {
  return route(template, method, itemPlace(template, namedKind(template).kind), specifics);
}

function collectionRoute(template: Template, method: HttpMethod, specifics: Specifics): OpenApiRoute {
  return route(template, method, collectionPlace(template), specifics);
}

function route(template: Template, method: HttpMethod, place: Place, specifics: Specifics): OpenApiRoute {
  const { action, operation, description, body, responses } = specifics;
  return {
    path: place.path,
    method,
    operation: operation + place.name,
    description,
    consumes: specifics.consumes ?? template.policy.consumes,
    produces: specifics.produces ?? template.mediaTypes,
    parameters: [...place.parameters, template.parameters.pretty, ...(specifics.parameters ?? [])],
    ...(body !== undefined && { body }),
    responses,
    action: { name: action, kind: namedKind(template) },
  };
}

function deleteCollectionRoute(template: Template): OpenApiRoute {
  const { parameters, policy } = template;
  return collectionRoute(template, 'delete', {
    action: 'deletecollection',
    operation: 'deleteCollection',
    description: `delete collection of ${template.kind}`,
    ...(policy.documentsCollectionOptions
      ? { parameters: parameters.deletecollection, body: { schema: deleteOptionsSchema, required: false } }
      : { parameters: parameters.list }),
    responses: [ok(statusSchema)],
  });
}

function watchRoute(template: Template): OpenApiRoute {
  const item = itemRoute(template, 'get', {
    action: 'watch',
    operation: 'watch',
    description: `watch one ${template.kind}; deprecated: list with the parameters watch and fieldSelector instead`,
    parameters: template.parameters.list,
    produces: [...template.mediaTypes, ...template.streamTypes],
    responses: [ok(watchEventSchema)],
  });
  return inWatchPath(template, item);
}

/** A subresource is created at the path of its object. */
function createRoute(template: Template): OpenApiRoute {
  const { object, endpoint } = template;
  const isMain = endpoint.subresource === '';
  const specifics: Specifics = {
    action: 'post',
    operation: 'create',
    description: `create ${isMain ? '' : `${endpoint.subresource} of `}${withArticle(template.kind)}`,
    parameters: template.parameters.create,
    body: { schema: object, required: true },
    responses: [ok(object), created(object), accepted(object)],
  };
  return isMain ? collectionRoute(template, 'post', specifics) : itemRoute(template, 'post', specifics);
}

function listRoutes(template: Template): readonly OpenApiRoute[] {
  const { object, kind, definition, policy } = template;
  const orWatch = documentsWatch(template) ? 'list or watch' : 'list';
  const list = policy.listsDescribeThemselves
    ? customListSchema(object, definition)
    : listSchema(object, definition.listKind);
  const inPlace = collectionRoute(template, 'get', {
    action: 'list',
    operation: 'list',
    description: `${orWatch} objects of kind ${kind}`,
    parameters: template.parameters.list,
    produces: [...template.mediaTypes, ...template.streamTypes],
    responses: [ok(list)],
  });
  return [inPlace, ...everywhere(template, inPlace, `list${kind}ForAllNamespaces`)];
}

function watchListRoutes(template: Template): readonly OpenApiRoute[] {
  const { kind } = template;
  const inPlace = collectionRoute(template, 'get', {
    action: 'watchlist',
    operation: 'watch',
    description: `watch all objects of kind ${kind}; deprecated: list with the parameter watch instead`,
    parameters: template.parameters.list,
    produces: [...template.mediaTypes, ...template.streamTypes],
    responses: [ok(watchEventSchema)],
  });
  const named = { ...inPlace, operation: `${inPlace.operation}List` };
  const all = everywhere(template, named, `watch${kind}ListForAllNamespaces`);
  return [named, ...all].map((one) => inWatchPath(template, one));
}

/** The route for all namespaces. */
function everywhere(template: Template, inPlace: OpenApiRoute, operation: string): readonly OpenApiRoute[] {
  if (template.definition.scope === 'Cluster') return [];
  const parameters = inPlace.parameters.filter(({ in: place }) => place !== 'path');
  return [{ ...inPlace, operation, parameters, path: `${template.root}/${template.definition.resource}` }];
}

/** The deprecated form of watches, with `watch` before the path. */
function inWatchPath({ root }: Template, one: OpenApiRoute): OpenApiRoute {
  return { ...one, path: `${root}/watch${one.path.slice(root.length)}` };
}

function ofItem({ endpoint: { subresource }, kind }: Template): string {
  return subresource === '' ? `the specified ${kind}` : `${subresource} of the specified ${kind}`;
}

function deleteResponse({ definition, object }: Template): StructSchema {
  return (definition.documentsDeletedObject ?? definition.returnDeletedObject) ? object : statusSchema;
}

function ok(schema: StructSchema): RouteResponse {
  return { code: 200, description: 'OK', schema };
}

function created(schema: StructSchema): RouteResponse {
  return { code: 201, description: 'Created', schema };
}

function accepted(schema: StructSchema): RouteResponse {
  return { code: 202, description: 'Accepted', schema };
}
