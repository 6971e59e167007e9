import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import type { ContainerPolicy } from '../core/pod-spec/security/container-policy.js';
import { cronJobs } from './cron-job/index.js';
import { jobs } from './job/index.js';

/** Dependencies of jobs on their server. */
export interface BatchGroupDependencies extends GroupDependencies {
  readonly containers: ContainerPolicy;
}

/** The group batch: work that completes. */
export function batchGroup({ install, containers }: BatchGroupDependencies): APIGroupInfo {
  return builtinGroup('batch', [install(cronJobs(containers)), install(jobs(containers))]);
}
