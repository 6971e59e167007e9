import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { priorityClasses } from './priority-class/index.js';

/** The resources of scheduling.k8s.io. */
export const schedulingResources: readonly AnyResourceDefinition[] = [priorityClasses];
