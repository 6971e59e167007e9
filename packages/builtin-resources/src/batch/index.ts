import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { cronJobs } from './cron-job/index.js';
import { jobs } from './job/index.js';

/** The resources of the group batch: work that comes to an end. */
export const batchResources: readonly AnyResourceDefinition[] = [cronJobs, jobs];
