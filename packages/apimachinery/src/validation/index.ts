export {
  TOTAL_ANNOTATION_SIZE_LIMIT,
  validateAnnotationKeys,
  validateAnnotations,
  validateAnnotationsSize,
} from './annotations.js';
export { validateConditions } from './conditions.js';
export {
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainCaseless,
  isDNS1123SubdomainWithUnderscore,
  isWildcardDNS1123Subdomain,
} from './dns-name.js';
export { validateDomainPrefixedPath } from './domain-prefixed-path.js';
export { isExtendedResource, isNativeResource } from './extended-resource.js';
export { validateFinalizerName } from './finalizers.js';
export { isLabelValue, isQualifiedName, isValidLabelValue } from './label.js';
export {
  validateLabelName,
  validateLabelSelector,
  validateLabelSelectorRequirement,
  validateLabels,
} from './labels.js';
export { byteLength, inclusiveRangeMessage, patternMessage } from './messages.js';
export {
  FIELD_IMMUTABLE_MESSAGE,
  type ObjectMetaRules,
  validateImmutableField,
  validateNonnegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.js';
export {
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  type ValidateName,
  validateNamespaceName,
  validatePathSegmentName,
  validateServiceAccountName,
} from './object-name.js';
export {
  validateCreateOptions,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateTableOptions,
  validateUpdateOptions,
} from './options.js';
export {
  isConfigMapKey,
  isHTTPHeaderName,
  isInRange,
  isRelaxedEnvVarName,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
} from './other-formats.js';
export { schemeOf } from './url-scheme.js';
