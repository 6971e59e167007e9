import type { Lease } from '@apiserver/api/coordination/v1';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, isNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatMicroTime } from '@apiserver/apimachinery/values';
import type { Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ControllerHook } from '../controller-hook.js';
import { LEASES } from '../leases.js';

const IDENTITY_LEASE_NAMESPACE = 'kube-system';
/** Marks a Lease as the heartbeat of a server, with the kind of server. */
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
const COMPONENT = 'kube-apiserver';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** Where other servers reach this one. */
const ADDRESS_ANNOTATION = 'kubernetes.io/peer-advertise-address';
const LEASE_SECONDS = 3600;
const RENEW_MS = 10_000;
const GC_MS = 3600 * 1000;
/** Used while the namespace does not exist. */
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 7_000;

/** Dependencies of the controller. */
export interface IdentityLeaseOptions {
  /** The identity of this server, from `apiServerID`. */
  readonly id: string;
  readonly hostname: string;
  /** Makes the holder identity unique to this run. */
  readonly newUid: () => string;
  /** Host and port for other servers. Default: none. Upstream feature gate: UnknownVersionInteroperabilityProxy */
  peerAddress?(): Promise<string>;
  /** Resolves when the server is ready: readiness does not depend on this controller. */
  whenReady(): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Renews a Lease as the heartbeat of this server, by which peers count the live servers.
 * Upstream: start-kube-apiserver-identity-lease-controller of pkg/controlplane/apiserver/server.go,
 * k8s.io/component-helpers/apimachinery/lease
 */
export function identityLeaseController(options: IdentityLeaseOptions): ControllerHook {
  return {
    name: 'start-kube-apiserver-identity-lease-controller',
    async run({ loopbackClient, signal }) {
      void keep(loopbackClient.resource<Lease>(LEASES), options, signal);
    },
  };
}

/** Never rejects. */
async function keep(client: ResourceClient<Lease>, options: IdentityLeaseOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger, whenReady, newUid, id } = options;
  const holder = `${id}_${newUid()}`;
  await whenReady().catch(() => {});
  for (let failures = 0; !signal.aborted; ) {
    try {
      await renew(client, options, holder);
      failures = 0;
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'Failed to update the lease of this server');
      failures++;
    }
    const retry = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
    await sleep(clock, failures === 0 ? RENEW_MS : retry, signal);
  }
}

async function renew(client: ResourceClient<Lease>, options: IdentityLeaseOptions, holder: string): Promise<void> {
  const current = await found(client.get(IDENTITY_LEASE_NAMESPACE, options.id));
  const lease = renewed(current, options, holder);
  const address = await options.peerAddress?.();
  if (address !== undefined) {
    lease.metadata.annotations = { ...lease.metadata.annotations, [ADDRESS_ANNOTATION]: address };
  }
  if (current === undefined) await client.create(IDENTITY_LEASE_NAMESPACE, lease);
  else await client.update(IDENTITY_LEASE_NAMESPACE, lease);
}

/** Keeps the holder, as upstream; only the time changes. */
function renewed(current: Lease | undefined, { id, hostname, clock }: IdentityLeaseOptions, holder: string): Lease {
  const lease: Lease = current === undefined ? newLease(id, holder) : cloneJson(current);
  const labels = { [IDENTITY_LABEL]: COMPONENT, [HOSTNAME_LABEL]: hostname };
  lease.metadata.labels = { ...lease.metadata.labels, ...labels };
  lease.spec.renewTime = formatMicroTime(clock.now());
  return lease;
}

function newLease(name: string, holderIdentity: string): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: IDENTITY_LEASE_NAMESPACE },
    spec: { holderIdentity, leaseDurationSeconds: LEASE_SECONDS },
  };
}

/**
 * Deletes expired leases of servers, at start and every hour.
 * Upstream: pkg/controlplane/controller/apiserverleasegc/gc_controller.go
 */
export function identityLeaseGarbageCollector(
  options: Pick<IdentityLeaseOptions, 'whenReady' | 'clock' | 'logger'>,
): ControllerHook {
  return {
    name: 'start-kube-apiserver-identity-lease-garbage-collector',
    async run({ loopbackClient, signal }) {
      void collect(loopbackClient.resource<Lease>(LEASES), options, signal);
    },
  };
}

/** Never rejects. */
async function collect(
  client: ResourceClient<Lease>,
  { whenReady, clock, logger }: Pick<IdentityLeaseOptions, 'whenReady' | 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  await whenReady().catch(() => {});
  while (!signal.aborted) {
    try {
      await deleteExpired(client, clock.now());
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'Error while deleting the leases of servers that are gone');
    }
    await sleep(clock, GC_MS, signal);
  }
}

async function deleteExpired(client: ResourceClient<Lease>, now: number): Promise<void> {
  const labelSelector = `${IDENTITY_LABEL}=${COMPONENT}`;
  const { items } = await client.list(IDENTITY_LEASE_NAMESPACE, { labelSelector });
  for (const { object } of items) {
    if (isExpired(object, now)) await found(client.delete(IDENTITY_LEASE_NAMESPACE, object.metadata.name ?? ''));
  }
}

/** A lease without a required field counts as expired. */
function isExpired({ spec: { renewTime, leaseDurationSeconds } }: Lease, now: number): boolean {
  if (!renewTime || leaseDurationSeconds === undefined || leaseDurationSeconds === null) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now;
}

async function found<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isNotFound(error) || isAlreadyExists(error)) return undefined;
    throw error;
  }
}
