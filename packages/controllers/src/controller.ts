import type { GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { FeatureGates, Informer, Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { WorkQueue, WorkQueueOptions } from '@apiserver/component-base/work-queue';
import type { ResourceDiscovery } from './discovery/resource-discovery.js';

/** The server as one run of a controller uses it. Informers and queues end with the signal. */
export interface ControllerContext {
  readonly client: LoopbackClient;
  readonly discovery: ResourceDiscovery;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly newUid: () => string;
  /** Named for the controller. */
  readonly logger: Logger;
  /** Aborts when the server stops, or when a kube-controller-manager takes over. */
  readonly signal: AbortSignal;
  /** Resolves when a resource is first used; undefined if it may have objects. */
  readonly firstUse: (resource: GroupVersionResource) => Promise<void> | undefined;
  /** True if other servers write to the same store. Their caches may be behind. */
  readonly isStoreShared: boolean;
  /** PEM: the authority of the server's certificate. */
  readonly rootCA: string;
  /** Undefined if the server has no private key for tokens. */
  readonly signSecretToken: SignSecretToken | undefined;
  readonly features: FeatureGates;
  /** A view of a resource, which controllers share. It is disposed after the run. Default: all of its objects. */
  informer<T extends KubeObject>(resource: GroupVersionResource, selection?: InformerSelection): Informer<T>;
  /** Registers a counter, once per server, and returns the function that counts. */
  counter(metric: MetricDescription): (labels: Readonly<Record<string, string>>) => void;
  /** The same for a histogram. */
  histogram(
    metric: MetricDescription,
    bounds: readonly number[],
  ): (value: number, labels: Readonly<Record<string, string>>) => void;
  /** Starts a queue with metrics and the context's clock, logger and signal. */
  queue(options: QueueOptions): WorkQueue;
}

/** Signs the token of a service account for a secret. It has no expiry. */
export type SignSecretToken = (order: {
  readonly namespace: string;
  readonly secret: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
}) => Promise<string>;

/** Objects of an informer. */
export interface InformerSelection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Options of a queue that differ between controllers. */
type QueueOptions = Pick<WorkQueueOptions, 'name' | 'sync' | 'workers' | 'longestRetryMilliseconds' | 'retries'>;

/** Runs until the signal of the context aborts. Resolves when nothing of it is under way. */
export type RunController = (context: ControllerContext) => Promise<void>;
