import type { Describe } from '@apiserver/api';
import {
  CreateOptions,
  DeleteOptions as DeleteOptionsSchema,
  GetOptions,
  ListOptions,
  PatchOptions,
  UpdateOptions,
} from '@apiserver/api/meta/v1';
import type { FieldSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';
import type { RouteParameter } from './open-api-route.js';

/** The query parameters of the verbs. Each list is in the order of the options' fields. */
export interface VerbParameters {
  /** Documented for custom resources only. */
  readonly get: readonly RouteParameter[];
  readonly create: readonly RouteParameter[];
  readonly update: readonly RouteParameter[];
  readonly patch: readonly RouteParameter[];
  readonly delete: readonly RouteParameter[];
  readonly deletecollection: readonly RouteParameter[];
  readonly list: readonly RouteParameter[];
  /** The namespace in a path. */
  readonly namespace: RouteParameter;
  readonly pretty: RouteParameter;
}

/** Query parameters are the fields of the options types that a query can carry. */
export function verbParameters(describe: Describe): VerbParameters {
  const queryOf = (options: StructSchema): readonly RouteParameter[] => queryParameters(options, describe);
  const [deletion, listing] = [queryOf(DeleteOptionsSchema), queryOf(ListOptions)];
  return {
    // Its only field has the same description as in lists.
    get: listing.filter(({ name }) => GetOptions.fields.some((field) => field.name === name)),
    create: queryOf(CreateOptions),
    update: queryOf(UpdateOptions),
    patch: queryOf(PatchOptions),
    delete: deletion,
    deletecollection: [...deletion, ...listing.filter(({ name }) => !WATCH_ONLY.has(name))],
    list: listing,
    namespace: {
      name: 'namespace',
      in: 'path',
      type: 'string',
      description: describe(ListOptions.name, 'namespace') ?? 'namespace of the object',
    },
    pretty: { name: 'pretty', in: 'query', type: 'string', description: describe(ListOptions.name, 'pretty') },
  };
}

const WATCH_ONLY: ReadonlySet<string> = new Set(['watch', 'allowWatchBookmarks']);

/** The fields of an options type that a query can carry. */
export function queryParameters(options: StructSchema, describe: Describe): readonly RouteParameter[] {
  return options.fields
    .filter(({ inline }) => !inline)
    .flatMap(({ name, schema }: FieldSchema) => {
      const type = parameterType(schema);
      return type === undefined ? [] : [{ name, in: 'query', type, description: describe(options.name, name) }];
    });
}

/** A list is sent as one parameter. Undefined for structures, which a query cannot contain. */
function parameterType(schema: Schema): RouteParameter['type'] | undefined {
  switch (schema.type) {
    case 'list':
      return parameterType(schema.element);
    case 'string':
      return 'string';
    case 'bool':
      return 'boolean';
    case 'int32':
    case 'int64':
      return 'integer';
    default:
      return undefined;
  }
}

/** The name of one object of a kind. */
export function nameParameter(kind: string): RouteParameter {
  return { name: 'name', in: 'path', type: 'string', description: `name of the ${kind}` };
}
