import type * as v1 from '@apiserver/api/resource/v1';
import { ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '@apiserver/api/resource/v1beta1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import type { WallClock } from '../../builtin-group.js';
import { applyTaintTimes } from '../defaults/taint-time.js';
import { sliceSpecFromBeta, sliceSpecToBeta } from './device.js';
import { applyBetaDeviceClaimDefaults, deviceClaimFromBeta, deviceClaimToBeta } from './device-claim.js';

type Version<T extends KubeObject> = Omit<ResourceVersionDefinition<T>, 'version'>;

const V1 = 'resource.k8s.io/v1';
const BETA = 'resource.k8s.io/v1beta1';

/** ResourceClaims in v1beta1. */
export const resourceClaimBeta: Version<v1.ResourceClaim> = {
  schema: ResourceClaim,
  applyDefaults: ({ spec }: ResourceClaim) => applyBetaDeviceClaimDefaults(spec.devices),
  toHub: ({ spec, ...claim }: ResourceClaim) => ({
    ...claim,
    apiVersion: V1,
    spec: { ...spec, devices: deviceClaimFromBeta(spec.devices) },
  }),
  fromHub: ({ spec, ...claim }) => ({
    ...claim,
    apiVersion: BETA,
    spec: { ...spec, devices: deviceClaimToBeta(spec.devices) },
  }),
};

/** ResourceClaimTemplates in v1beta1. */
export const resourceClaimTemplateBeta: Version<v1.ResourceClaimTemplate> = {
  schema: ResourceClaimTemplate,
  applyDefaults: ({ spec: { spec } }: ResourceClaimTemplate) => applyBetaDeviceClaimDefaults(spec.devices),
  toHub: ({ spec: { spec, ...claim }, ...template }: ResourceClaimTemplate) => ({
    ...template,
    apiVersion: V1,
    spec: { ...claim, spec: { ...spec, devices: deviceClaimFromBeta(spec.devices) } },
  }),
  fromHub: ({ spec: { spec, ...claim }, ...template }) => ({
    ...template,
    apiVersion: BETA,
    spec: { ...claim, spec: { ...spec, devices: deviceClaimToBeta(spec.devices) } },
  }),
};

/** ResourceSlices in v1beta1. */
export function resourceSliceBeta(clock: WallClock): Version<v1.ResourceSlice> {
  return {
    schema: ResourceSlice,
    applyDefaults: ({ spec: { devices = [] } }: ResourceSlice) => {
      for (const { basic } of devices) applyTaintTimes(basic?.taints, clock);
    },
    toHub: ({ spec, ...slice }: ResourceSlice) => ({ ...slice, apiVersion: V1, spec: sliceSpecFromBeta(spec) }),
    fromHub: ({ spec, ...slice }) => ({ ...slice, apiVersion: BETA, spec: sliceSpecToBeta(spec) }),
  };
}
