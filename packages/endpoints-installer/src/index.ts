/** From ResourceDefinitions and REST verbs to routes, and from whatever is thrown to the answer. */
export { type ApiContainer, type ApiContainerOptions, createApiContainer } from './container/api-container.js';
export { ADMISSION_ANNOTATIONS } from './handlers/admission.js';
export {
  builtInMediaTypes,
  JSON_MEDIA_TYPE,
  type MediaType,
  PROTOBUF_MEDIA_TYPE,
  YAML_MEDIA_TYPE,
} from './negotiation/media-types.js';
export {
  isPretty,
  negotiateOutput,
  notAcceptable,
  type OutputMediaType,
  type OutputRestrictions,
  plainOutputOnly,
  type TransformTarget,
} from './negotiation/negotiate-output.js';
export { type AcceptClause, parseAccept } from './negotiation/parse-accept.js';
export {
  createRequestInfoResolver,
  type RequestInfoInput,
  type RequestInfoOptions,
  type RequestInfoResolver,
} from './request-info.js';
export { plainFailure } from './responses/plain-failure.js';
export { respondBytes } from './responses/respond-bytes.js';
export { respondError, respondStatus } from './responses/respond-error.js';
export { finishJson } from './responses/respond-object.js';
