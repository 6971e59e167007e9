import type { FullObject } from '../full-object.js';
import { clusterObjects } from './cluster.js';
import { deviceRules } from './device-rules.js';
import { deviceObjects } from './devices.js';
import { networkingObjects } from './networking.js';
import { podVariants } from './pod-variants.js';
import { pods } from './pods.js';
import { services } from './services.js';
import { smallKinds } from './small-kinds.js';
import { storageObjects } from './storage.js';
import { storageVersionObjects } from './storage-versions.js';
import { workloads } from './workloads.js';

/** At least one object of every built-in kind that clients create. */
export const fullObjects: readonly FullObject[] = [
  ...[...clusterObjects, ...deviceObjects, ...deviceRules, ...networkingObjects, ...pods, ...podVariants],
  ...[...services, ...smallKinds, ...storageObjects, ...storageVersionObjects, ...workloads],
];
