import { AllocatedDeviceStatus, type AllocationResult, ResourceClaimStatus } from '@apiserver/api/resource/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInternal } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import {
  type AuthorizationAttributes,
  requestAttributes,
  type UserInfo,
  type VerbContext,
} from '@apiserver/apiserver-contracts';
import { equalSemantically } from '@apiserver/resource-kit';
import { deviceKey } from '../validation/device-key.js';

const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** The reason of a refusal, for a 403; undefined if allowed. */
export type Refusal = (attributes: AuthorizationAttributes, signal: AbortSignal) => Promise<string | undefined>;

/** The old and new status of a write. */
interface StatusChange {
  readonly status: ResourceClaimStatus;
  readonly old: ResourceClaimStatus;
}

/**
 * Permission to write a status does not cover all of it. Binding a claim requires resourceclaims/binding, and
 * reporting a driver's devices requires resourceclaims/driver.
 * Upstream: AuthorizedForBinding, AuthorizedForDeviceStatus of pkg/registry/resource/utils.go
 */
export async function refuseStatusChange(
  context: VerbContext,
  change: StatusChange,
  refusal: Refusal,
): Promise<readonly FieldError[]> {
  const binding = await refuseBinding(context, change, refusal);
  return [...binding, ...(await refuseDeviceReports(context, change, refusal))];
}

async function refuseBinding(context: VerbContext, { status, old }: StatusChange, refusal: Refusal) {
  const path = FieldPath.of('status', 'allocation');
  if (equalSemantically(boundPart(status), boundPart(old), ResourceClaimStatus)) return [];
  const base = attributesOf(context);
  if (base === undefined) return [notAuthenticated(path)];
  const reason = await refusal({ ...base, subresource: 'binding', namespace: '', name: '' }, context.signal);
  if (reason === undefined) return [];
  const needed = `resource="resourceclaims/binding", verb="${base.verb}" permission`;
  return [fieldForbidden(path, `changing status.allocation or status.reservedFor requires ${needed}: ${reason}`)];
}

function boundPart({ allocation, reservedFor }: ResourceClaimStatus): object {
  return { allocation, reservedFor };
}

async function refuseDeviceReports(context: VerbContext, { status, old }: StatusChange, refusal: Refusal) {
  const path = FieldPath.of('status', 'devices');
  const drivers = changedDrivers(status, old);
  if (drivers.length === 0) return [];
  const base = attributesOf(context);
  if (base === undefined) return [notAuthenticated(path)];
  const verbs = [...(isOnNode(base.user, status.allocation) ? ['associated-node'] : []), 'arbitrary-node'].map(
    (prefix) => `${prefix}:${base.verb}`,
  );
  const errors: FieldError[] = [];
  for (const driver of drivers) {
    const reason = await refusalOfAll(verbs, { ...base, subresource: 'driver', name: driver }, { context, refusal });
    if (reason === undefined) continue;
    const needed = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
    errors.push(fieldForbidden(path, `changing status.devices requires ${needed}: ${reason}`));
  }
  return errors;
}

/** One allowed verb is sufficient; otherwise the first refusal counts. */
async function refusalOfAll(
  verbs: readonly string[],
  attributes: AuthorizationAttributes,
  { context, refusal }: { readonly context: VerbContext; readonly refusal: Refusal },
): Promise<string | undefined> {
  let first: string | undefined;
  for (const verb of verbs) {
    const reason = await refusal({ ...attributes, verb }, context.signal);
    if (reason === undefined) return undefined;
    first ??= reason;
  }
  return first;
}

/** Drivers whose devices are added, changed or removed. Upstream: getModifiedDrivers */
function changedDrivers(status: ResourceClaimStatus, old: ResourceClaimStatus): readonly string[] {
  const before = new Map((old.devices ?? []).map((device) => [deviceKey(device), device]));
  const changed = new Set<string>();
  for (const device of status.devices ?? []) {
    const key = deviceKey(device);
    if (!equalSemantically(before.get(key), device, AllocatedDeviceStatus)) changed.add(device.driver);
    before.delete(key);
  }
  for (const { driver } of before.values()) changed.add(driver);
  return [...changed].sort();
}

function attributesOf({ requestInfo, user }: VerbContext): AuthorizationAttributes | undefined {
  return requestInfo === undefined || user === undefined ? undefined : requestAttributes(requestInfo, user);
}

function notAuthenticated(path: FieldPath): FieldError {
  return fieldInternal(path, new Error('cannot build authorizer attributes: no RequestInfo found in the context'));
}

/** Reports whether a service account's token belongs to the allocated node. Upstream: saAssociatedWithAllocatedNode */
function isOnNode({ name, extra }: UserInfo, allocation: AllocationResult | undefined): boolean {
  const chosen = chosenNode(allocation);
  const [node = '', ...more] = extra[NODE_NAME] ?? [];
  const isAccount = /^system:serviceaccount:[^:]+:[^:]+$/.test(name);
  return isAccount && more.length === 0 && node === chosen && nameIsDNSSubdomain(node).length === 0;
}

/** The node of an allocation; undefined if it has several or none. Upstream: nodeNameFromAllocation */
function chosenNode(allocation: AllocationResult | undefined): string | undefined {
  const [term, ...otherTerms] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  if (term === undefined || otherTerms.length > 0 || (term.matchExpressions ?? []).length > 0) return undefined;
  const [field, ...otherFields] = term.matchFields ?? [];
  if (field === undefined || otherFields.length > 0) return undefined;
  const { key, operator, values = [] } = field;
  return key === 'metadata.name' && operator === 'In' && values.length === 1 ? values[0] : undefined;
}
