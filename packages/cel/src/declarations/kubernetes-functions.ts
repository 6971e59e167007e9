import { declareFunctions, type Functions } from '../check/declarations.js';
import { AUTHORIZER_FUNCTIONS } from './authorizer-functions.js';
import { COMPREHENSIONS_FUNCTIONS } from './comprehensions-functions.js';
import { FORMAT_FUNCTIONS } from './format-functions.js';
import { LISTS_FUNCTIONS } from './lists-functions.js';
import { NETWORK_FUNCTIONS } from './network-functions.js';
import { OPTIONAL_FUNCTIONS } from './optional-functions.js';
import { QUANTITY_FUNCTIONS } from './quantity-functions.js';
import { REGEX_FUNCTIONS } from './regex-functions.js';
import { SEMVER_FUNCTIONS } from './semver-functions.js';
import { SETS_FUNCTIONS } from './sets-functions.js';
import { STANDARD_FUNCTIONS } from './standard-functions.js';
import { STRINGS_FUNCTIONS } from './strings-functions.js';
import { URL_FUNCTIONS } from './url-functions.js';

/**
 * Declares the functions of Kubernetes 1.36.
 *
 * Upstream: k8s.io/apiserver/pkg/cel/environment/base.go
 */
export function declareKubernetesFunctions(): Functions {
  return declareFunctions(
    STANDARD_FUNCTIONS,
    URL_FUNCTIONS,
    REGEX_FUNCTIONS,
    LISTS_FUNCTIONS,
    AUTHORIZER_FUNCTIONS,
    QUANTITY_FUNCTIONS,
    OPTIONAL_FUNCTIONS,
    STRINGS_FUNCTIONS,
    SETS_FUNCTIONS,
    NETWORK_FUNCTIONS,
    FORMAT_FUNCTIONS,
    COMPREHENSIONS_FUNCTIONS,
    SEMVER_FUNCTIONS,
  );
}
