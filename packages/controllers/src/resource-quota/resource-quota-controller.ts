import { QuotaRecount } from '@apiserver/admission';
import type { Pod, ResourceQuota } from '@apiserver/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@apiserver/api/resource/v1';
import { formatGroupVersionResource } from '@apiserver/apimachinery';
import { repeat } from '@apiserver/apimachinery/clock';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { ControllerContext } from '../controller.js';
import { followDefinitions } from '../discovery/follow-definitions.js';
import type { DiscoveredResource } from '../discovery/resource-discovery.js';
import { namespacedKey, objectOfKey } from '../namespaced-key.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { isSpecChanged, QuotaCounter, RESOURCE_QUOTAS } from './quota-counter.js';
import { UsageMonitors } from './usage-monitors.js';

const DEVICE_CLASSES = { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses' };
const DEVICE_CLAIMS = { ...DEVICE_CLASSES, resource: 'resourceclaims' };
const VERBS = ['create', 'list', 'watch', 'delete'] as const;
/** Upstream: --concurrent-resource-quota-syncs */
const WORKERS = 5;
/** Upstream: --resource-quota-sync-period */
const RESYNC_MS = 300_000;
/** Deletions often come in groups: they are counted together. */
const PAUSE_MS = 10;

/**
 * Counts the objects of namespaces with quotas into the status of the quotas: at first, and when something is freed.
 * Upstream: pkg/controller/resourcequota
 */
export async function runResourceQuotaController(context: ControllerContext): Promise<void> {
  const { client, clock, random, logger, signal, discovery } = context;
  const quotas = context.informer<ResourceQuota>(RESOURCE_QUOTAS);
  const served = (await discovery()).resources;
  const devices = await deviceViews(context, served);
  const recount = new QuotaRecount(clock, context.features, devices);
  const counter = new QuotaCounter({ quotas, client, clock, recount });
  let resources = served.filter(isCounted);
  await using monitors = new UsageMonitors({
    recount,
    clock,
    followOptions: (resource) => ({ client: client.resource(resource), clock, random, logger }),
    onChange: (namespace, resource) => {
      const concerned = quotas.list(namespace).filter((quota) => recount.concerns(quota, resource));
      for (const quota of concerned) queue.addAfter(namespacedKey(quota), PAUSE_MS);
    },
  });
  const queue = context.queue({
    name: 'resourcequota_primary',
    workers: WORKERS,
    sync: async (key) => {
      const { namespace } = objectOfKey(key);
      await monitors.sync(namespace, quotas.list(namespace), resources);
      const again = await counter.count(key, resources);
      if (again !== undefined) queue.addAfter(key, again);
    },
  });
  const add = (quota: ResourceQuota) => queue.add(namespacedKey(quota));
  const addAll = () => quotas.list().forEach(add);
  const definitions = followDefinitions(context, async () => {
    resources = (await discovery()).resources.filter(isCounted);
    addAll();
  });
  repeat(clock, RESYNC_MS, addAll, signal);
  const classes = devices?.classes.subscribe({
    added: addAll,
    updated: ({ spec }, old) => spec.extendedResourceName !== old.spec.extendedResourceName && addAll(),
    deleted: addAll,
  });
  await runUntilAborted(signal, queue, [...(classes ? [classes] : []), subscribe(quotas, counter, add)]);
  await definitions;
}

/** Counts quotas that change. A client that has changed the limits does not wait for a pause. */
function subscribe(quotas: Informer<ResourceQuota>, counter: QuotaCounter, count: (quota: ResourceQuota) => void) {
  return quotas.subscribe({
    added: count,
    updated: (quota, old) => {
      if (isSpecChanged(quota, old)) counter.forgetPause(namespacedKey(quota));
      if (isChanged(quota, old)) count(quota);
    },
    deleted: count,
  });
}

/** Views for quotas of devices; undefined where there are no devices, or they are no extended resources. */
async function deviceViews(context: ControllerContext, served: readonly DiscoveredResource[]) {
  const { informer, features, signal } = context;
  const isServed = [DEVICE_CLASSES, DEVICE_CLAIMS].every((wanted) =>
    served.some((resource) => formatGroupVersionResource(resource) === formatGroupVersionResource(wanted)),
  );
  if (!isServed || !features.enabled('DRAExtendedResource')) return undefined;
  const views = {
    classes: informer<DeviceClass>(DEVICE_CLASSES),
    claims: informer<ResourceClaim>(DEVICE_CLAIMS),
    pods: informer<Pod>({ group: '', version: 'v1', resource: 'pods' }),
  };
  await Promise.all(Object.values(views).map((view) => view.synced(signal)));
  return views;
}

function isCounted({ namespaced, verbs }: DiscoveredResource): boolean {
  return namespaced && VERBS.every((verb) => verbs.has(verb));
}

/** Charges of admission change the usage only. */
function isChanged(quota: ResourceQuota, old: ResourceQuota): boolean {
  return isSpecChanged(quota, old) || !equalJson(quota.status.hard, old.status.hard);
}
