import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { componentStatuses } from './component-status/index.js';
import { configMaps } from './config-map/index.js';
import { endpoints } from './endpoints/index.js';
import { events } from './event/index.js';
import { limitRanges } from './limit-range/index.js';
import { namespaces } from './namespace/index.js';
import { nodes } from './node/index.js';
import { persistentVolumes } from './persistent-volume/index.js';
import { persistentVolumeClaims } from './persistent-volume-claim/index.js';
import { pods } from './pod/index.js';
import { podTemplates } from './pod-template/index.js';
import { replicationControllers } from './replication-controller/index.js';
import { resourceQuotas } from './resource-quota/index.js';
import { secrets } from './secret/index.js';
import { services } from './service/index.js';
import { serviceAccounts } from './service-account/index.js';

/** The resources of the core group. */
export const coreResources: readonly AnyResourceDefinition[] = [
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumes,
  persistentVolumeClaims,
  podTemplates,
  pods,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
];
