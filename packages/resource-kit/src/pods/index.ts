/** Containers of pods: their resources, and their references to other objects. */
export { allContainers } from './all-containers.js';
export { podConfigMapNames } from './config-map-names.js';
export { containerResources, type ResourceField } from './container-resources.js';
export { podSecretNames } from './secret-names.js';
