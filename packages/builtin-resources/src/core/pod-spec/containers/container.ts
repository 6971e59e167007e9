import type { Container, ContainerResizePolicy } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { trimSpace } from '@apiserver/apimachinery/text';
import { validateRequiredEnum } from '../../../validation/enum-field.js';
import { validateDNS1123Label } from '../../validation/dns-fields.js';
import { validateRequired } from '../../validation/required-field.js';
import { validateContainerResourceName } from '../../validation/resource-name.js';
import { validateResourceRequirements } from '../../validation/resource-requirements.js';
import { IMAGE_PULL_POLICIES, TERMINATION_MESSAGE_POLICIES } from '../container-enums.js';
import type { PodSpecScope } from '../pod-spec-scope.js';
import { validateSecurityContext } from '../security/security-context.js';
import { validateVolumeDevices, validateVolumeMounts } from '../volumes/volume-mounts.js';
import { validateContainerPorts } from './container-ports.js';
import { validateEnv, validateEnvFrom } from './environment.js';

/**
 * Validates fields of all types of containers.
 * Upstream: validateContainerCommon of pkg/apis/core/validation/validation.go
 */
export function validateContainer(container: Container, scope: PodSpecScope, path: FieldPath): FieldError[] {
  const { name, terminationMessagePolicy, resources, resizePolicy = [] } = container;
  const { spec, rules, volumes, claimNames } = scope;
  const messagePath = path.child('terminationMessagePolicy');
  return [
    ...(name ? validateDNS1123Label(name, path.child('name')) : [fieldRequired(path.child('name'), '')]),
    ...validateRequired(container.image, path.child('image')),
    ...validateRequiredEnum(terminationMessagePolicy, TERMINATION_MESSAGE_POLICIES, messagePath),
    ...validateContainerPorts(container.ports ?? [], path.child('ports')),
    ...validateEnv(container.env ?? [], rules.allowEnvFiles, path.child('env')),
    ...validateEnvFrom(container.envFrom ?? [], path.child('envFrom')),
    ...validateVolumeMounts(container, volumes, path.child('volumeMounts')),
    ...validateVolumeDevices(container, volumes, path.child('volumeDevices')),
    ...validateRequiredEnum(container.imagePullPolicy, IMAGE_PULL_POLICIES, path.child('imagePullPolicy')),
    ...validateResourceRequirements(
      resources ?? {},
      {
        validateResourceName: validateContainerResourceName,
        claimNames,
        allowIndivisibleHugePages: rules.allowIndivisibleHugePages,
      },
      path.child('resources'),
    ),
    ...validateResizePolicy(resizePolicy, spec.restartPolicy, path.child('resizePolicy')),
    ...validateSecurityContext(container.securityContext, spec.hostUsers !== false, path.child('securityContext')),
  ];
}

const RESIZABLE = ['cpu', 'memory'];
const RESIZE_RESTART_POLICIES = ['NotRequired', 'RestartContainer'];

/** Most faults have the path of the list, as upstream. Upstream: validateResizePolicy */
function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName, restartPolicy }, i) => {
    const errors = seen.has(resourceName) ? [fieldDuplicate(path.index(i), printedAsJson(resourceName))] : [];
    seen.add(resourceName);
    errors.push(...validateRequiredEnum(resourceName, RESIZABLE, path));
    errors.push(...validateRequiredEnum(restartPolicy, RESIZE_RESTART_POLICIES, path));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      const message = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(fieldInvalid(path, printedAsJson(restartPolicy), message));
    }
    return errors;
  });
}

/** Validates rules for containers of pods, not of templates. Upstream: validateContainerOnlyForPod */
export function validateContainerOfPod({ image = '' }: Container, path: FieldPath): FieldError[] {
  if (image === trimSpace(image)) return [];
  return [fieldInvalid(path.child('image'), image, 'must not have leading or trailing whitespace')];
}
