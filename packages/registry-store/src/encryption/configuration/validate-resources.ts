import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { ANY, isAnything, parseResourceName } from './resource-name.js';

const WITHOUT_API = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'];

/**
 * Checks the names of one entry, each alone and against the others.
 * Upstream: k8s.io/apiserver/pkg/apis/apiserver/validation/validation_encryption.go
 */
export function validateResources(resources: readonly string[], path: FieldPath): readonly FieldError[] {
  return [
    ...(resources.length === 0 ? [fieldRequired(path, `at least one ${path} is required`)] : []),
    ...validateOverlap(resources, path),
    ...resources.flatMap((name, i) => {
      const fault = nameFault(name);
      return fault === undefined ? [] : [fieldInvalid(path.index(i), name, fault)];
    }),
  ];
}

function validateOverlap(resources: readonly string[], path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = resources.map(parseResourceName);
  const unique = new Set(names.map(({ group, resource }) => `${resource}.${group}`));
  if (unique.size < names.length) {
    errors.push(fieldInvalid(path, resources, 'the same resource cannot be specified multiple times'));
  }
  const overlaps = names.some((one, i) => names.some((other, j) => i !== j && masks(one, other)));
  if (overlaps) {
    const detail =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    errors.push(fieldInvalid(path, resources, detail));
  }
  return errors;
}

function masks(one: ReturnType<typeof parseResourceName>, other: typeof one): boolean {
  if (isAnything(one)) return true;
  return one.group === other.group && one.resource === ANY;
}

function nameFault(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === ANY) return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (WITHOUT_API.includes(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseResourceName(name);
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === ANY && resource !== ANY) return 'encrypting the same resource across groups is not supported';
  return undefined;
}
