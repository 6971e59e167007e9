import type { Namespace } from '@apiserver/api/core/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound, messageOf, newInternalError } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import { formatTime } from '@apiserver/apimachinery/values';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import type { DiscoveredResource, DiscoveredResources, ResourceDiscovery } from '../discovery/resource-discovery.js';
import { NAMESPACES } from '../resources.js';
import { type ContentReport, deletionConditions, discoveryFailure } from './deletion-conditions.js';
import { type DeletedNamespace, deleteResourceContent, isPods, type Remainder } from './resource-content.js';

/** The finalizer of this controller in the spec of namespaces. */
const FINALIZER = 'kubernetes';

/** Dependencies of a deletion. */
export interface NamespaceDeletionOptions {
  readonly client: LoopbackClient;
  readonly discovery: ResourceDiscovery;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly random: RandomInt;
}

/** The rest of a namespace's content. Empty if its content is gone. */
export interface NamespaceRemainder {
  readonly remainders: readonly Remainder[];
  /** Seconds after which the rest may be gone. */
  readonly estimate: number;
}

const NOTHING: NamespaceRemainder = { remainders: [], estimate: 0 };

/**
 * Deletes the content of a terminating namespace, reports the result in its conditions, and removes the finalizer when
 * nothing is left. Throws if something could not be deleted or found out.
 * Upstream: NamespacedResourcesDeleter.Delete of pkg/controller/namespace/deletion
 */
export async function deleteNamespaceContent(
  name: string,
  options: NamespaceDeletionOptions,
): Promise<NamespaceRemainder> {
  const namespaces = options.client.resource<Namespace>(NAMESPACES);
  try {
    const namespace = await namespaces.get('', name);
    if (!namespace.metadata.deletionTimestamp || (namespace.spec.finalizers ?? []).length === 0) return NOTHING;
    const { report, remainders } = await deleteContent(namespace, options);
    options.signal.throwIfAborted();
    const reported = await reportConditions(namespaces, namespace, { report, clock: options.clock });
    const messages = errorsOf(report);
    if (messages.length > 0) throw newInternalError(new Error(messages.join(', ')));
    const estimate = Math.max(0, ...remainders.map((one) => one.estimate));
    if (remainders.length > 0) return { remainders, estimate };
    await finalize(namespaces, reported);
    return NOTHING;
  } catch (error) {
    // It is gone already.
    if (isNotFound(error)) return NOTHING;
    throw error;
  }
}

interface DeletedContent {
  readonly report: ContentReport;
  readonly remainders: readonly Remainder[];
}

/** Pods go first: what they use must outlive them. Upstream: the feature OrderedNamespaceDeletion, locked in 1.34 */
async function deleteContent(
  { metadata }: Namespace,
  { client, discovery, clock, signal, random }: NamespaceDeletionOptions,
): Promise<DeletedContent> {
  const age = clock.now() - Date.parse(metadata.deletionTimestamp ?? '');
  const namespace = { name: metadata.name ?? '', age, signal, random };
  const discovered = await discover(discovery);
  const resources = discovered.resources.filter(({ namespaced, verbs }) => namespaced && verbs.has('delete'));
  const first = await deleteEach(client, resources.filter(isPods), namespace);
  if (first.remainders.length > 0 || first.errors.length > 0) return contentOf(discovered, first);
  const rest = await deleteEach(
    client,
    resources.filter((resource) => !isPods(resource)),
    namespace,
  );
  return contentOf(discovered, rest);
}

/** A failed discovery as its message: what can be deleted is deleted all the same. */
async function discover(discovery: ResourceDiscovery): Promise<DiscoveredResources & { readonly error?: string }> {
  try {
    return await discovery();
  } catch (error) {
    return { resources: [], kinds: new Map(), unknown: [], error: messageOf(error) };
  }
}

interface Deletions {
  readonly remainders: readonly Remainder[];
  readonly errors: readonly string[];
}

/** An error of one resource does not keep the others. */
async function deleteEach(
  client: LoopbackClient,
  resources: readonly DiscoveredResource[],
  namespace: DeletedNamespace,
): Promise<Deletions> {
  const remainders: Remainder[] = [];
  const errors: string[] = [];
  const deletions = resources.map((resource) => deleteResourceContent(client, resource, namespace));
  for (const result of await Promise.allSettled(deletions)) {
    if (result.status === 'rejected') errors.push(messageOf(result.reason));
    else if (result.value !== undefined) remainders.push(result.value);
  }
  errors.push(...remainders.flatMap(({ error = [] }) => error));
  return { remainders, errors };
}

function contentOf(
  { unknown, error }: DiscoveredResources & { readonly error?: string },
  { remainders, errors }: Deletions,
): DeletedContent {
  const remaining = new Map(remainders.map(({ resource, count }) => [`${resource.resource}.${resource.group}`, count]));
  const finalizers = new Map<string, number>();
  for (const remainder of remainders) {
    for (const [name, count] of remainder.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  const discoveryError = error === undefined ? {} : { discoveryError: error };
  return { report: { unknown, ...discoveryError, errors, remaining, finalizers }, remainders };
}

function errorsOf({ unknown, discoveryError, errors }: ContentReport): readonly string[] {
  const unknownGroups = unknown.length === 0 ? [] : [discoveryFailure(unknown)];
  return [...(discoveryError === undefined ? [] : [discoveryError]), ...unknownGroups, ...errors];
}

/** Returns the stored namespace. After a conflict the next attempt reports. */
async function reportConditions(
  namespaces: ResourceClient<Namespace>,
  namespace: Namespace,
  { report, clock }: { readonly report: ContentReport; readonly clock: Clock },
): Promise<Namespace> {
  const { conditions: current = [] } = namespace.status;
  const conditions = deletionConditions(current, report, formatTime(clock.now()));
  if (conditions === current && namespace.status.phase === 'Terminating') return namespace;
  const status = { ...namespace.status, phase: 'Terminating', conditions: [...conditions] };
  try {
    return await namespaces.update('', { ...namespace, status }, { subresource: 'status' });
  } catch (error) {
    if (isConflict(error)) return namespace;
    throw error;
  }
}

/** Removes the finalizer, also after conflicts, from the namespace with this UID. */
async function finalize(namespaces: ResourceClient<Namespace>, namespace: Namespace): Promise<void> {
  for (let latest = namespace; ; ) {
    const finalizers = (latest.spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    try {
      const finalized = { ...latest, spec: { ...latest.spec, finalizers } };
      await namespaces.update('', finalized, { subresource: 'finalize' });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    latest = await namespaces.get('', latest.metadata.name ?? '');
    if (latest.metadata.uid !== namespace.metadata.uid) return;
  }
}
