import type { ComponentStatus } from '@apiserver/api/core/v1';
import { messageOf, plainFailure, type StatusError } from '@apiserver/apimachinery/errors';
import { freezeJson } from '@apiserver/apimachinery/json';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import type { GenericStore, RestStorage, StoredObject, VerbContext } from '@apiserver/apiserver-contracts';
import type { Probe, ProbeResult } from './probe-component.js';

/** The contents of one component's condition. */
interface Health extends ProbeResult {
  readonly error?: string;
}

/** The probed components, with their default ports. */
const PORTS = [
  ['controller-manager', 10257],
  ['scheduler', 10259],
] as const;
const STORE = 'etcd-0';

/**
 * Every read probes all components. This server's store takes the place of upstream's etcd.
 * Upstream: pkg/registry/core/componentstatus/rest.go
 */
export function componentStatusVerbs(
  generic: GenericStore<ComponentStatus>,
  probe: Probe,
): Pick<RestStorage<ComponentStatus>, 'get' | 'list'> {
  const checks = new Map<string, (context: VerbContext) => Promise<Health>>([
    ...PORTS.map(([name, port]) => [name, ({ signal }: VerbContext) => probe(port, signal)] as const),
    [STORE, (context) => storeHealth(generic, context)],
  ]);
  return {
    async get(context, name) {
      const check = checks.get(name);
      if (check === undefined) throw notFound(name);
      return statusOf(name, await check(context));
    },
    async list(context, { labelSelector, fieldSelector }) {
      const names = [...checks.keys()].sort();
      const wanted = names.filter(
        (name) => labelSelector.matches({}) && fieldSelector.matches({ 'metadata.name': name }),
      );
      const statuses = wanted.map(async (name) => statusOf(name, await checks.get(name)?.(context)));
      return { items: await Promise.all(statuses), resourceVersion: '' };
    },
  };
}

/** Upstream returns a plain error, which becomes a Failure without a reason. */
function notFound(name: string): StatusError {
  return plainFailure(500, `Component not found: ${name}`);
}

/** Checks the store by a consistent read. */
async function storeHealth(generic: GenericStore<ComponentStatus>, context: VerbContext): Promise<Health> {
  try {
    await generic.list(context, {
      labelSelector: everythingSelector,
      fieldSelector: everythingFieldSelector,
      limit: 1,
    });
    return { healthy: true, message: 'ok' };
  } catch (error) {
    return { healthy: false, message: '', error: messageOf(error) };
  }
}

function statusOf(name: string, health: Health | undefined): StoredObject<ComponentStatus> {
  const { healthy = false, message = '', error = '' } = health ?? {};
  const condition = {
    type: 'Healthy',
    status: healthy ? 'True' : 'False',
    ...(message === '' ? undefined : { message }),
    ...(error === '' ? undefined : { error }),
  };
  const object: ComponentStatus = {
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    metadata: { name },
    conditions: [condition],
  };
  freezeJson(object);
  return { object, resourceVersion: '', wire: () => undefined };
}
