import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type {
  AdmissionPlugin,
  Authorizer,
  FeatureGates,
  Informer,
  LoopbackClient,
} from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { ManifestEnvironment } from './manifests/manifest-environment.js';
import type { MatchConditionMetrics } from './matching/match-condition-metrics.js';
import type { WebhookEnvironment } from './webhooks/webhook-environment.js';

/** A resource that serves the objects of a kind. */
export interface MappedResource {
  readonly resource: GroupVersionResource;
  readonly namespaced: boolean;
}

/** A review as it is sent to a webhook. */
export type SentReview = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: object;
  readonly spec: object;
  readonly status: object;
};

/** Sends a review and resolves to the `status` of the response. Rejects if there is none. */
export type ReviewSender = (review: SentReview, signal?: AbortSignal) => Promise<object>;

/** A webhook that is configured by a kubeconfig. */
export interface ReviewWebhookOptions {
  readonly configFile: string;
  /** The pause before the second attempt, in milliseconds. */
  readonly retryBackoff: number;
}

/** Dependencies of a plugin. Do not use them before the first request. */
export interface AdmissionPluginDependencies {
  readonly client: LoopbackClient;
  /** The informer of a resource, shared by all plugins. It starts when the first plugin reads from it. */
  informer<T extends KubeObject>(resource: GroupVersionResource): Informer<T>;
  /** The served resources of a kind, without subresources; empty for an unknown kind. Reads discovery. */
  resourcesOf(kind: GroupVersionKind): Promise<readonly MappedResource[]>;
  /** An informer that no other plugin shares. The caller disposes it. */
  newInformer(resource: GroupVersionResource): Informer<KubeObject>;
  /** Throws an Error for a kubeconfig that cannot be used. */
  reviewWebhook(options: ReviewWebhookOptions): ReviewSender;
  readonly authorizer: Authorizer;
  /** Unlike the other dependencies, a plugin may use them at once. */
  readonly features: FeatureGates;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly metrics: MetricsRegistry;
  /** Default toleration of a node that is not ready, in seconds. */
  readonly notReadyTolerationSeconds: number;
  /** Default toleration of an unreachable node, in seconds. */
  readonly unreachableTolerationSeconds: number;
  readonly webhooks: WebhookEnvironment;
  readonly matchConditionMetrics: MatchConditionMetrics;
  /** Unlike the other dependencies, a plugin may use it at once. */
  readonly manifests: ManifestEnvironment;
  /** This plugin's part of the admission configuration; undefined if there is none. */
  readonly configuration: unknown;
}

/** A plugin with its registered name. */
export interface AdmissionPluginDefinition {
  readonly name: string;
  /** True if the plugin runs by default. */
  readonly defaultOn: boolean;
  /** Undefined for a plugin that is not implemented. Throws an Error if it rejects its configuration. */
  readonly create?: (dependencies: AdmissionPluginDependencies) => AdmissionPlugin;
}

/** A configuration that a plugin decodes but rejects. Upstream: errors of ValidateInitialization */
export class InitializationError extends Error {}
