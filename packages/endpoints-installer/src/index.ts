/** From ResourceDefinitions and REST verbs to routes. */
export type { ApiContainer, ApiContainerOptions } from './container/api-container.js';
export {
  createRequestInfoResolver,
  type RequestInfoInput,
  type RequestInfoOptions,
  type RequestInfoResolver,
} from './request-info.js';
