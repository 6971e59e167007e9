import type { Service, ServicePort } from '@apiserver/api/core/v1';
import { newInternalError, newInvalid, plainFailure } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { needsHealthCheck, needsNodePort, nodePortsOf } from '../service-traits.js';
import { NodePortOperation } from './node-port-operation.js';
import { type AllocationOptions, isAllocationError, type ServiceAllocators } from './service-allocators.js';
import { afterReverting, forAll, type Transaction } from './transaction.js';

type NodePortAllocators = Pick<ServiceAllocators, 'nodePorts'>;

/** Allocates the node ports of a new service, and sets those that it did not request. Mutates `service`. */
export async function allocateNodePorts(
  { nodePorts }: NodePortAllocators,
  service: Service,
  options: AllocationOptions,
): Promise<Transaction> {
  return inOperation(new NodePortOperation(nodePorts, options), async (operation) => {
    if (needsNodePort(service)) await initNodePorts(operation, service);
    if (needsHealthCheck(service)) await allocateHealthCheckNodePort(operation, service);
  });
}

/**
 * Allocates and releases node ports after a change. Mutates `service`.
 * Upstream: txnUpdateNodePorts of pkg/registry/core/service/storage/alloc.go
 */
export async function updateNodePorts(
  { nodePorts }: NodePortAllocators,
  { service, old }: { readonly service: Service; readonly old: Service },
  options: AllocationOptions,
): Promise<Transaction> {
  return inOperation(new NodePortOperation(nodePorts, options), async (operation) => {
    if (needsNodePort(service)) await changeNodePorts(operation, service, old);
    else if (needsNodePort(old)) operation.releaseLater(nodePortsOf(old));
    const [needed, needs] = [needsHealthCheck(old), needsHealthCheck(service)];
    if (!needed && needs) await allocateHealthCheckNodePort(operation, service);
    if (needed && !needs && old.spec.healthCheckNodePort) operation.releaseLater([old.spec.healthCheckNodePort]);
  });
}

/** Releases the node ports of a deleted service. */
export async function releaseNodePorts({ nodePorts }: NodePortAllocators, service: Service): Promise<void> {
  const { healthCheckNodePort } = service.spec;
  const health = needsHealthCheck(service) && healthCheckNodePort ? [healthCheckNodePort] : [];
  await forAll([...nodePortsOf(service), ...health], (port) => nodePorts.release(port));
}

async function inOperation(
  operation: NodePortOperation,
  work: (operation: NodePortOperation) => Promise<void>,
): Promise<Transaction> {
  try {
    await work(operation);
    return operation;
  } catch (error) {
    throw await afterReverting(error, () => operation.revert());
  }
}

function wantsNodePorts({ spec }: Service): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === true);
}

/** Ports with the same number (such as TCP and UDP) share a node port, unless they request different ones. */
async function initNodePorts(operation: NodePortOperation, service: Service): Promise<void> {
  const ports = service.spec.ports ?? [];
  const allocated = new Map<number, number>();
  const requests = firstRequests(ports);
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !wantsNodePorts(service)) continue;
    const shared = allocated.get(port.port);
    if (shared === undefined) {
      const requested = requests.get(port.port);
      port.nodePort = requested ?? (await nextNodePort(operation));
      if (requested !== undefined) await allocateRequested(operation, service, { index: i, port: requested });
      allocated.set(port.port, port.nodePort);
    } else if (!port.nodePort) {
      port.nodePort = shared;
    } else if (port.nodePort !== shared) {
      await allocateRequested(operation, service, { index: i, port: port.nodePort });
    }
  }
}

/** The first node port that is requested for each port. */
function firstRequests(ports: readonly ServicePort[]): ReadonlyMap<number, number> {
  const requests = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !requests.has(port)) requests.set(port, nodePort);
  return requests;
}

async function changeNodePorts(operation: NodePortOperation, service: Service, old: Service): Promise<void> {
  const before = new Set(nodePortsOf(old));
  const taken = new Set<number>();
  const seen = new Set<string>();
  for (const [i, port] of (service.spec.ports ?? []).entries()) {
    if (!port.nodePort && !wantsNodePorts(service)) continue;
    if (!port.nodePort) port.nodePort = await nextNodePort(operation);
    else if (!before.has(port.nodePort) && !taken.has(port.nodePort)) {
      await allocateRequested(operation, service, { index: i, port: port.nodePort });
      taken.add(port.nodePort);
    }
    refuseDuplicate(seen, port);
  }
  const after = new Set(nodePortsOf(service));
  operation.releaseLater([...before].filter((port) => !after.has(port)));
}

function refuseDuplicate(seen: Set<string>, { protocol = '', nodePort = 0 }: ServicePort): void {
  const key = `{${protocol} ${nodePort}}`;
  if (seen.has(key)) throw plainFailure(500, `duplicate nodePort: ${key}`);
  seen.add(key);
}

async function allocateRequested(
  operation: NodePortOperation,
  { metadata }: Service,
  { index, port }: { readonly index: number; readonly port: number },
): Promise<void> {
  try {
    await operation.allocate(port);
  } catch (error) {
    if (!isAllocationError(error)) throw error;
    const path = FieldPath.of('spec', 'ports').index(index).child('nodePort');
    throw newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', [fieldInvalid(path, port, error.message)]);
  }
}

async function nextNodePort(operation: NodePortOperation): Promise<number> {
  try {
    return await operation.allocateNext();
  } catch (error) {
    throw isAllocationError(error)
      ? newInternalError(new Error(`failed to allocate a nodePort: ${error.message}`))
      : error;
  }
}

async function allocateHealthCheckNodePort(operation: NodePortOperation, { spec }: Service): Promise<void> {
  const requested = spec.healthCheckNodePort ?? 0;
  try {
    if (requested === 0) spec.healthCheckNodePort = await operation.allocateNext();
    else await operation.allocate(requested);
  } catch (error) {
    if (!isAllocationError(error)) throw error;
    const what = requested === 0 ? 'a HealthCheck NodePort 0' : `requested HealthCheck NodePort ${requested}`;
    throw newInternalError(new Error(`failed to allocate ${what}: ${error.message}`));
  }
}
