import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { runtimeClasses } from './runtime-class/index.js';

/** The resources of node.k8s.io. */
export const nodeResources: readonly AnyResourceDefinition[] = [runtimeClasses];
