import { Buffer } from 'node:buffer';
import type { APIService, APIServiceSpec } from '@apiserver/api/apiregistration/v1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import {
  isDNS1035Label,
  isDNS1123Subdomain,
  isValidPortNum,
  type ValidateName,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validatePathSegmentName,
} from '@apiserver/apimachinery/validation';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const SERVICE = SPEC.child('service');
const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1_000;
const DEFAULT_PORT = 443;
const STATUSES = ['True', 'False', 'Unknown'];

/** Upstream: ValidateAPIService of k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go */
export function validateApiService({ metadata, spec }: APIService): readonly FieldError[] {
  return [
    ...validateObjectMeta(metadata, {
      namespaced: false,
      validateName: validateName(spec),
      path: METADATA,
    }),
    ...validateGroup(spec),
    ...isDNS1035Label(spec.version ?? '').map((message) =>
      fieldInvalid(SPEC.child('version'), spec.version ?? '', message),
    ),
    ...validatePriorities(spec),
    ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec, spec.service)),
  ];
}

/** Upstream: ValidateAPIServiceUpdate */
export function validateApiServiceUpdate(apiService: APIService, old: APIService): readonly FieldError[] {
  return [...validateObjectMetaUpdate(apiService.metadata, old.metadata, METADATA), ...validateApiService(apiService)];
}

/** Upstream: ValidateAPIServiceStatusUpdate */
export function validateApiServiceStatusUpdate(apiService: APIService, old: APIService): readonly FieldError[] {
  const path = FieldPath.of('status', 'conditions');
  return [
    ...validateObjectMetaUpdate(apiService.metadata, old.metadata, METADATA),
    ...(apiService.status.conditions ?? []).flatMap(({ status }, i) =>
      STATUSES.includes(status)
        ? []
        : [fieldNotSupported(path.index(i).child('status'), printedAsJson(status), STATUSES)],
    ),
  ];
}

/** The name contains the group version, so that each has one APIService. */
function validateName({ group = '', version = '' }: APIServiceSpec): ValidateName {
  const required = `${version}.${group}`;
  // As upstream, the prefix of a generated name is judged as a whole name.
  return (name) => {
    const failures = validatePathSegmentName(name);
    if (failures.length > 0) return failures;
    return name === required ? [] : [`must be \`spec.version+"."+spec.group\`: ${quote(required)}`];
  };
}

function validateGroup({ group = '', version }: APIServiceSpec): FieldError[] {
  const path = SPEC.child('group');
  if (group === '') {
    return version === 'v1'
      ? []
      : [fieldRequired(path, 'only v1 may have an empty group and it better be legacy kube')];
  }
  return isDNS1123Subdomain(group).map((message) => fieldInvalid(path, group, message));
}

function validatePriorities({ groupPriorityMinimum: group, versionPriority: version }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (group <= 0 || group > MAX_GROUP_PRIORITY) {
    const path = SPEC.child('groupPriorityMinimum');
    errors.push(fieldInvalid(path, group, `must be positive and less than ${MAX_GROUP_PRIORITY}`));
  }
  if (version <= 0 || version > MAX_VERSION_PRIORITY) {
    const path = SPEC.child('versionPriority');
    errors.push(fieldInvalid(path, version, `must be positive and less than ${MAX_VERSION_PRIORITY}`));
  }
  return errors;
}

function validateLocal({ caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (caBundle !== '') {
    const size = `${Buffer.byteLength(caBundle, 'base64')} bytes`;
    errors.push(fieldInvalid(SPEC.child('caBundle'), size, 'local APIServices may not have a caBundle'));
  }
  if (insecureSkipTLSVerify) {
    const path = SPEC.child('insecureSkipTLSVerify');
    errors.push(fieldInvalid(path, true, 'local APIServices may not have insecureSkipTLSVerify'));
  }
  return errors;
}

function validateRemote(
  { caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec,
  { namespace = '', name = '', port = DEFAULT_PORT }: NonNullable<APIServiceSpec['service']>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (namespace === '') errors.push(fieldRequired(SERVICE.child('namespace'), ''));
  if (name === '') errors.push(fieldRequired(SERVICE.child('name'), ''));
  const reasons = isValidPortNum(port);
  if (reasons.length > 0) {
    errors.push(fieldInvalid(SERVICE.child('port'), port, `port is not valid: ${reasons.join(', ')}`));
  }
  if (insecureSkipTLSVerify && caBundle !== '') {
    const path = SPEC.child('insecureSkipTLSVerify');
    errors.push(fieldInvalid(path, true, 'may not be true if caBundle is present'));
  }
  return errors;
}
