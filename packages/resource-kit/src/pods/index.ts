/** References of pods to other objects. */
export { allContainers } from './all-containers.js';
export { podConfigMapNames } from './config-map-names.js';
export { podSecretNames } from './secret-names.js';
