/** From ResourceDefinitions and REST verbs to routes. */
export type { ApiContainer, ApiContainerOptions } from './container/api-container.js';
