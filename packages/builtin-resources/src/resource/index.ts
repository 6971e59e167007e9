import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import type { DeviceAccessOptions } from './access/with-device-access.js';
import { deviceClasses } from './device-class/index.js';
import { deviceTaintRules } from './device-taint-rule/index.js';
import { resourceClaims } from './resource-claim/index.js';
import { resourceClaimTemplates } from './resource-claim-template/index.js';
import { resourcePoolStatusRequests } from './resource-pool-status-request/index.js';
import { resourceSlices } from './resource-slice/index.js';

/** Dependencies of claims for devices on their server. */
export interface ResourceGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
  readonly deviceAccess: DeviceAccessOptions;
}

/**
 * The group resource.k8s.io. As upstream, `--runtime-config` alone serves its alpha and beta kinds; feature gates
 * decide who acts on them.
 */
export function resourceGroup({ install, features, deviceAccess, clock }: ResourceGroupDependencies): APIGroupInfo {
  return builtinGroup('resource.k8s.io', [
    install(deviceClasses(features)),
    install(deviceTaintRules(clock)),
    install(resourceClaims(deviceAccess, features)),
    install(resourceClaimTemplates(deviceAccess, features)),
    install(resourcePoolStatusRequests),
    install(resourceSlices(clock, features)),
  ]);
}
