import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { componentStatuses } from './component-status/index.js';
import { configMaps } from './config-map/index.js';
import { endpoints } from './endpoints/index.js';
import { events } from './event/index.js';
import { limitRanges } from './limit-range/index.js';
import { namespaces } from './namespace/index.js';
import { nodes } from './node/index.js';
import { persistentVolumes } from './persistent-volume/index.js';
import { persistentVolumeClaims } from './persistent-volume-claim/index.js';
import { type PodDependencies, pods } from './pod/index.js';
import { installedBindings } from './pod/legacy-bindings.js';
import { podTemplates } from './pod-template/index.js';
import { replicationControllers } from './replication-controller/index.js';
import { resourceQuotas } from './resource-quota/index.js';
import { secrets } from './secret/index.js';
import { type ServiceDependencies, services } from './service/index.js';
import { serviceAccounts } from './service-account/index.js';
import type { TokenRequestOptions } from './service-account/token/with-token-requests.js';

/** Dependencies of the core group on its server. */
export interface CoreGroupDependencies extends GroupDependencies, PodDependencies, ServiceDependencies {
  readonly features: FeatureGates;
  /** Time to live of Events; 0 for no expiry. Upstream flag: --event-ttl */
  readonly eventTtlSeconds: number;
  readonly tokens: TokenRequestOptions;
}

/** The core group. */
export function coreGroup(dependencies: CoreGroupDependencies): APIGroupInfo {
  const { install, connections, containers, eventTtlSeconds, features, tokens, clock } = dependencies;
  const installedPods = install(pods(dependencies));
  return builtinGroup('', [
    installedBindings(installedPods),
    install(componentStatuses),
    install(configMaps),
    install(endpoints(features)),
    install(events(eventTtlSeconds)),
    install(limitRanges),
    install(namespaces),
    install(nodes(connections, features)),
    install(persistentVolumes(clock, features)),
    install(persistentVolumeClaims(features)),
    install(podTemplates(containers)),
    installedPods,
    install(replicationControllers(containers)),
    install(resourceQuotas),
    install(secrets),
    install(serviceAccounts(tokens)),
    install(services(dependencies)),
  ]);
}
