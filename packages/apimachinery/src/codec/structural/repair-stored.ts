import { DecodeError, isDecodeError } from '../../errors/decode-error.js';
import { isMembers, type Members } from '../../json/is-members.js';
import { setOwn } from '../../json/set-own.js';
import type { StructSchema } from '../../schema/schema.js';
import type { StructuralNode } from './structural-node.js';
import { typedMetadata } from './typed-metadata.js';

/**
 * Removes malformed metadata from a stored custom resource and from resources inside it. Earlier servers did not check
 * it, and an unreadable object could not be deleted. Mutates. Throws DecodeError for metadata that is not an object.
 *
 * Upstream: crdConversionRESTOptionsGetter (dropInvalidMetadata, repairGeneration) and GetObjectMetaWithOptions of
 * k8s.io/apiextensions-apiserver
 */
export function repairStored(object: Members, root: StructuralNode, metadata: StructSchema): void {
  const sound = repairMetadata(object, metadata);
  if (!sound['generation']) sound['generation'] = 1;
  repairEmbedded(object, root, metadata);
}

/** The same for its own metadata alone, which it returns. */
export function repairMetadata(object: Members, metadata: StructSchema): Members {
  const own = object['metadata'] ?? {};
  if (!isMembers(own)) throw new DecodeError('type', 'invalid metadata: expected object');
  const sound = soundMembers(own, metadata);
  setOwn(object, 'metadata', sound);
  return sound;
}

/** The same for the resources inside one alone. */
export function repairEmbedded(object: Members, root: StructuralNode, metadata: StructSchema): void {
  repairInside(object, { ...root, embeddedResource: false }, metadata);
}

function repairInside(value: unknown, node: StructuralNode | undefined, metadata: StructSchema): void {
  if (node === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) repairInside(item, node.items, metadata);
    return;
  }
  const members = value as Members;
  if (node.embeddedResource) repairResource(members, metadata);
  for (const name of Object.keys(members)) {
    const field = node.fields.get(name);
    if (field !== undefined) repairInside(members[name], field, metadata);
    else if (node.rest !== 'open') repairInside(members[name], node.rest, metadata);
  }
}

function repairResource(resource: Members, metadata: StructSchema): void {
  for (const name of ['apiVersion', 'kind']) {
    if (Object.hasOwn(resource, name) && typeof resource[name] !== 'string') delete resource[name];
  }
  if (!Object.hasOwn(resource, 'metadata')) return;
  const own = resource['metadata'];
  if (isMembers(own)) setOwn(resource, 'metadata', soundMembers(own, metadata));
  else delete resource['metadata'];
}

/** The members of metadata that are well-formed: nearly always all of them. */
function soundMembers(members: Members, metadata: StructSchema): Members {
  if (isSound(members, metadata)) return members;
  const sound = Object.entries(members).filter(([name, member]) => isSound({ [name]: member }, metadata));
  return Object.fromEntries(sound);
}

function isSound(members: Members, metadata: StructSchema): boolean {
  try {
    typedMetadata(members, metadata);
    return true;
  } catch (error) {
    if (isDecodeError(error)) return false;
    throw error;
  }
}
