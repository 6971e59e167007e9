export { DecodeError, isDecodeError } from './decode-error.js';
export { newGenericServerResponse } from './generic-server-response.js';
export { errorOf, messageOf } from './message-of.js';
export { plainFailure } from './plain-failure.js';
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
} from './predicates.js';
export { isStatusError, StatusError } from './status-error.js';
export {
  failureStatus,
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenerateNameConflict,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
  newUnsupportedMediaType,
} from './status-factories.js';
export { codeOf, goErrorText, goFileError, goWordsOf, isMissingFile } from './system-error.js';
export { unlessNotFound } from './unless-not-found.js';
