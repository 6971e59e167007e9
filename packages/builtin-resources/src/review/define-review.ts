import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  CreateStrategy,
  InstalledResource,
  ResourceDefinition,
  RestStorage,
  Strategy,
  ValidateObject,
  VerbContext,
} from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';

/** Computes the response to a review. May change `review` and return it; throws a StatusError to refuse. */
export type RespondToReview<T extends KubeObject> = (
  context: VerbContext,
  review: T,
  validate: ValidateObject<T>,
) => Promise<T>;

/** Nothing is stored, so the strategy has no rules. */
const nothingStored: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: () => [],
  validateUpdate: () => [],
} satisfies CreateStrategy & Strategy;

/** A resource that responds to a create and stores nothing. */
export function defineReview<T extends KubeObject>(
  schema: KindSchema<T>,
  place: Partial<Pick<ResourceDefinition<T>, 'resource' | 'scope'>> = {},
): ResourceDefinition<T> {
  return defineResource<T>({
    ...place,
    versions: [{ schema }],
    verbs: ['create'],
    strategy: nothingStored,
    columns: [],
  });
}

/** A review with its implementation. `lengthOf` estimates the bytes of a response: a large one is encoded in turns. */
export function installedReview<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  respond: RespondToReview<T>,
  lengthOf?: (review: T) => number,
): InstalledResource {
  const storage: RestStorage<T> = {
    create: async (context, review, validate) => {
      const result = unstoredResult(await respond(context, review, validate));
      return lengthOf === undefined ? result : { ...result, byteLength: lengthOf(result.object) };
    },
  };
  return { definition, storage, subresources: {} };
}

/** A response that is not stored. */
export function unstoredResult<T extends KubeObject>(object: T) {
  freezeJson(object);
  return { object, resourceVersion: '', wire: () => undefined };
}
