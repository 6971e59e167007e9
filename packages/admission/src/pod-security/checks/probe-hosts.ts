import type { LifecycleHandler } from '@apiserver/api/core/v1';
import type { Check } from '../check.js';
import { type CheckedContainer, containersOf } from '../pod-containers.js';
import { named, sorted } from '../violation.js';

/** Forbids hosts in probes and lifecycle handlers: the kubelet would send requests to any address. */
export const probeHosts: Check = {
  revisions: [
    {
      since: 34,
      find: (pod) => {
        const naming = containersOf(pod).filter((container) => hostsOf(container).length > 0);
        if (naming.length === 0) return undefined;
        const containers = sorted(naming.map(({ name }) => name));
        const hosts = sorted(naming.flatMap(hostsOf));
        const use = containers.length === 1 ? 'uses' : 'use';
        const detail = `${named('container', containers)} ${use} ${named('probe or lifecycle host', hosts)}`;
        return { reason: 'probe or lifecycle host', detail };
      },
    },
  ],
};

function hostsOf(container: CheckedContainer): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  if (!livenessProbe && !readinessProbe && !startupProbe && !lifecycle) return NONE;
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers.flatMap((handler) => (handler ? hostsOfHandler(handler) : NONE));
}

const NONE: readonly string[] = [];

function hostsOfHandler({ httpGet, tcpSocket }: Pick<LifecycleHandler, 'httpGet' | 'tcpSocket'>): readonly string[] {
  return [httpGet?.host, tcpSocket?.host].flatMap((host) => host || []);
}
