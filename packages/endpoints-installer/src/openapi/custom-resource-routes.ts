import type { StructSchema } from '@apiserver/apimachinery/schema';
import type { InstalledResource } from '@apiserver/apiserver-contracts';
import { servedEndpoints } from '../discovery/served-endpoint.js';
import { structuralMediaTypes } from '../negotiation/media-types.js';
import { customListSchema } from './custom-list-schema.js';
import { deleteOptionsSchema, patchSchema, statusSchema } from './meta-definitions.js';
import type { HttpMethod, OpenApiRoute, RouteBody, RouteParameter } from './open-api-route.js';
import type { VerbParameters } from './route-parameters.js';
import {
  collectionPlace,
  createTemplate,
  itemPlace,
  type Place,
  type Template,
  withArticle,
} from './route-template.js';

const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** A method of a place, as upstream's table of custom resources has it. */
interface Row {
  readonly method: HttpMethod;
  readonly action: string;
  /** How operations and descriptions call it. */
  readonly verb: keyof typeof WORDS;
  /** `status of `, in front of the object. */
  readonly of?: string;
  readonly parameters: readonly RouteParameter[];
  readonly answer: StructSchema;
  /** The codes beside 200 that answer with the same. */
  readonly also?: readonly (201 | 202)[];
  readonly body?: RouteBody;
}

/**
 * The routes of a custom resource. Upstream writes them down by hand beside those of built-in resources: other parameters
 * and media types, no watches.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go
 */
export function customResourceRoutes(
  root: string,
  installed: InstalledResource,
  version: string,
  parameters: VerbParameters,
): readonly OpenApiRoute[] {
  const [main, ...subresources] = servedEndpoints(installed, version).map((endpoint) =>
    createTemplate(root, endpoint, parameters),
  );
  if (main === undefined) return [];
  const ofMain = [...collectionRoutes(main), ...itemRoutes(main, main), deleteRoute(main)];
  return [...ofMain, ...subresources.flatMap((template) => itemRoutes(template, main))];
}

function collectionRoutes(template: Template): readonly OpenApiRoute[] {
  const { object, parameters, definition, kind, root } = template;
  const place = collectionPlace(template);
  const list = routeOf(template, place, {
    method: 'get',
    action: 'list',
    verb: 'list',
    parameters: parameters.list,
    answer: customListSchema(object, definition),
  });
  const everywhere: OpenApiRoute = {
    ...list,
    path: `${root}/${definition.resource}`,
    operation: `list${kind}ForAllNamespaces`,
    parameters: list.parameters.filter(({ in: at }) => at !== 'path'),
  };
  return [
    ...(definition.scope === 'Namespaced' ? [everywhere] : []),
    list,
    routeOf(template, place, {
      method: 'post',
      action: 'post',
      verb: 'create',
      parameters: parameters.create,
      answer: object,
      also: [201, 202],
      body: { schema: object, required: true },
    }),
    routeOf(template, place, {
      method: 'delete',
      action: 'deletecollection',
      verb: 'deletecollection',
      parameters: parameters.list,
      answer: statusSchema,
    }),
  ];
}

/** Reading and writing one object, or a subresource of it. */
function itemRoutes(template: Template, main: Template): readonly OpenApiRoute[] {
  const { object, parameters, endpoint } = template;
  const place = itemPlace(template, main.kind);
  const of = endpoint.subresource === '' ? '' : `${endpoint.subresource} of `;
  return [
    routeOf(main, place, {
      method: 'get',
      action: 'get',
      verb: 'read',
      of,
      parameters: parameters.get,
      answer: object,
    }),
    routeOf(main, place, {
      method: 'put',
      action: 'put',
      verb: 'replace',
      of,
      parameters: parameters.update,
      answer: object,
      also: [201],
      body: { schema: object, required: true },
    }),
    routeOf(main, place, {
      method: 'patch',
      action: 'patch',
      verb: 'patch',
      of,
      parameters: parameters.patch,
      answer: object,
      body: { schema: patchSchema, required: true },
    }),
  ];
}

function deleteRoute(template: Template): OpenApiRoute {
  return routeOf(template, itemPlace(template, template.kind), {
    method: 'delete',
    action: 'delete',
    verb: 'delete',
    parameters: template.parameters.delete,
    answer: statusSchema,
    also: [202],
    body: { schema: deleteOptionsSchema, required: false },
  });
}

/** The kind that a route names is the resource's, its subresources' too. */
function routeOf({ endpoint, kind, parameters }: Template, place: Place, row: Row): OpenApiRoute {
  const { method, action, verb, of = '', answer, also = [], body } = row;
  return {
    path: place.path,
    method,
    operation: (verb === 'deletecollection' ? 'deleteCollection' : verb) + place.name,
    description: WORDS[verb](of, kind),
    consumes: method === 'patch' ? PATCH_TYPES : structuralMediaTypes,
    produces: structuralMediaTypes,
    parameters: [...place.parameters, parameters.pretty, ...row.parameters],
    ...(body !== undefined && { body }),
    responses: [200 as const, ...also].map((code) => ({ code, description: MEANINGS[code], schema: answer })),
    action: { name: action, kind: endpoint.schema.gvk },
  };
}

const MEANINGS = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

/** The descriptions of routes. */
const WORDS = {
  list: (_: string, kind: string) => `list objects of kind ${kind}`,
  create: (_: string, kind: string) => `create ${withArticle(kind)}`,
  deletecollection: (_: string, kind: string) => `delete collection of ${kind}`,
  read: (of: string, kind: string) => `read ${of}the specified ${kind}`,
  replace: (of: string, kind: string) => `replace ${of}the specified ${kind}`,
  patch: (of: string, kind: string) => `partially update ${of}the specified ${kind}`,
  delete: (_: string, kind: string) => `delete ${withArticle(kind)}`,
};
