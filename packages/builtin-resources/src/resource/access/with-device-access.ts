import type { ResourceClaim, ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { ResourceDefinition, Strategy } from '@apiserver/apiserver-contracts';
import { withChecks } from '@apiserver/resource-kit';
import { type NamespaceLabels, refuseAdminRequests, refuseAdminResults } from './admin-access.js';
import { type Refusal, refuseStatusChange } from './status-authorization.js';

/** Dependencies of the checks of device access. */
export interface DeviceAccessOptions {
  readonly labelsOf: NamespaceLabels;
  readonly refusal: Refusal;
}

/** Checks of claims. */
export interface ClaimAccessOptions extends DeviceAccessOptions {
  /** Parts of the status have permissions of their own. Feature gate: DRAResourceClaimGranularStatusAuthorization */
  readonly isGranular: boolean;
}

/** The definition of claims for one server, with checks of admin access and of writes to parts of the status. */
export function withClaimAccess(
  definition: ResourceDefinition<ResourceClaim>,
  statusStrategy: Strategy<ResourceClaim>,
  { labelsOf, refusal, isGranular }: ClaimAccessOptions,
): ResourceDefinition<ResourceClaim> {
  const status = withChecks(statusStrategy, {
    async update(context, { status }, old) {
      const admin = await refuseAdminResults(context, status, old.status, labelsOf);
      if (!isGranular) return admin;
      return [...admin, ...(await refuseStatusChange(context, { status, old: old.status }, refusal))];
    },
  });
  return {
    ...definition,
    strategy: withChecks(definition.strategy, {
      create: (context, { spec }) => refuseAdminRequests(context, spec.devices.requests ?? [], labelsOf),
    }),
    subresources: { ...definition.subresources, status: { ...definition.subresources['status'], strategy: status } },
  };
}

/** The definition of claim templates for one server, with checks of admin access. */
export function withTemplateAccess(
  definition: ResourceDefinition<ResourceClaimTemplate>,
  { labelsOf }: Pick<DeviceAccessOptions, 'labelsOf'>,
): ResourceDefinition<ResourceClaimTemplate> {
  return {
    ...definition,
    strategy: withChecks(definition.strategy, {
      create: (context, { spec }) => refuseAdminRequests(context, spec.spec.devices.requests ?? [], labelsOf),
    }),
  };
}
