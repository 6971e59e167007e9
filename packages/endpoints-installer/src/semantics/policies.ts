import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { builtInResources } from './built-in-resources.js';
import { customResources } from './custom-resources.js';
import type { KindPolicy } from './kind-policy.js';
import type { ResourcePolicy } from './resource-policy.js';
import { structuralKinds } from './structural-kinds.js';
import { typedKinds } from './typed-kinds.js';

/** The policies of one semantics. */
interface SemanticsPolicy {
  readonly resources: ResourcePolicy;
  readonly kinds: KindPolicy;
}

/**
 * The policies by semantics. No other code of this package may read the semantics of a kind; check-architecture
 * enforces that.
 */
const policies: Readonly<Record<KindSchema['semantics'], SemanticsPolicy>> = {
  typed: { resources: builtInResources, kinds: typedKinds },
  structural: { resources: customResources, kinds: structuralKinds },
};

/** The policy of a resource. A resource is custom as soon as one of its versions is structural. */
export function resourcePolicyOf({ versions }: Pick<AnyResourceDefinition, 'versions'>): ResourcePolicy {
  const isCustom = versions.some(({ schema }) => schema.semantics === 'structural');
  return policies[isCustom ? 'structural' : 'typed'].resources;
}

/** The policy of an endpoint's objects. */
export function kindPolicyOf({ semantics }: Pick<KindSchema, 'semantics'>): KindPolicy {
  return policies[semantics].kinds;
}
