import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { AdmissionPlugin, Authorizer, Informer, LoopbackClient } from '@apiserver/apiserver-contracts';

/** What plugins are made of. Nothing of it may be used before the first request. */
export interface AdmissionPluginParts {
  readonly client: LoopbackClient;
  /** The view of a resource that all plugins share; it begins to read when one of them looks. */
  informer<T extends KubeObject>(resource: GroupVersionResource): Informer<T>;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: RandomInt;
  /** Seconds that pods stay on a node that is not ready, where they say nothing of it. */
  readonly notReadyTolerationSeconds: number;
  /** The same for a node that cannot be reached. */
  readonly unreachableTolerationSeconds: number;
  /** What the admission configuration says for this plugin; undefined when it says nothing. */
  readonly configuration: unknown;
}

/** A plugin that is known by name. */
export interface AdmissionPluginDefinition {
  readonly name: string;
  /** Whether it runs when nothing is said of it. */
  readonly defaultOn: boolean;
  /** Undefined for a plugin that is not built. Throws an Error when its configuration cannot be used. */
  readonly create?: (parts: AdmissionPluginParts) => AdmissionPlugin;
}
