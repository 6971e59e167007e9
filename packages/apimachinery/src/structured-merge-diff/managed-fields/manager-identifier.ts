import { writeScalar } from '../../codec/json/stringify-json.js';

/** The identity of a manager: entries that agree in all of it are one. Appliers have no version in it. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** Number of identifiers that are cached; then the cache is cleared. */
const MAX_IDENTIFIERS = 256;
/** Maximum size of the parts of an identity together, in UTF-16 units. Valid objects have no longer ones. */
const MAX_IDENTITY_LENGTH = 1024;

interface Identified extends ManagerIdentity {
  readonly identifier: string;
}

/** By name of the manager. */
const known = new Map<string, Identified[]>();
let count = 0;

/**
 * The identifier of a manager: JSON whose text upstream compares and prints. Recent ones are cached: every write needs
 * a few of the same, and V8 has to flatten and intern each new text.
 *
 * Upstream: BuildManagerIdentifier in k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go
 */
export function managerIdentifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const ofName = known.get(manager);
  if (ofName !== undefined) {
    for (const identified of ofName) {
      if (
        identified.apiVersion === apiVersion &&
        identified.operation === operation &&
        identified.subresource === subresource
      ) {
        return identified.identifier;
      }
    }
  }
  const identity = { manager, operation, apiVersion, subresource };
  if (manager.length + operation.length + apiVersion.length + subresource.length > MAX_IDENTITY_LENGTH) {
    return writeIdentifier(identity);
  }
  // Copies: slices would retain the whole body.
  const own: ManagerIdentity = JSON.parse(JSON.stringify(identity));
  return remember({ ...own, identifier: writeIdentifier(own) });
}

function writeIdentifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  let members = '';
  if (manager !== '') members = `,"manager":${writeScalar(manager)}`;
  if (operation !== '') members += `,"operation":${writeScalar(operation)}`;
  if (apiVersion !== '' && operation !== 'Apply') members += `,"apiVersion":${writeScalar(apiVersion)}`;
  if (subresource !== '') members += `,"subresource":${writeScalar(subresource)}`;
  return `{${members.slice(1)}}`;
}

function remember(identified: Identified): string {
  if (count >= MAX_IDENTIFIERS) {
    known.clear();
    count = 0;
  }
  count++;
  const ofName = known.get(identified.manager);
  if (ofName === undefined) known.set(identified.manager, [identified]);
  else ofName.push(identified);
  return identified.identifier;
}

/** The identity in an identifier; `apiVersion` is "" for appliers. */
export function parseManagerIdentifier(identifier: string): ManagerIdentity {
  const {
    manager = '',
    operation = '',
    apiVersion = '',
    subresource = '',
  } = JSON.parse(identifier) as Partial<ManagerIdentity>;
  return { manager, operation, apiVersion, subresource };
}
