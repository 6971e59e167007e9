import { atOnce } from '../../clock/at-once.js';
import { DecodeError, isDecodeError } from '../../errors/decode-error.js';
import { isMembers, type Members } from '../../json/is-members.js';
import { setOwn } from '../../json/set-own.js';
import type { StructSchema } from '../../schema/schema.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { walkResources } from './embedded/walk-resources.js';
import type { StructuralNode } from './structural-node.js';
import { typedMetadataSteps } from './typed-metadata.js';

/**
 * Removes malformed metadata from a stored custom resource and from resources inside it. Earlier servers did not check
 * it, and an unreadable object could not be deleted. Mutates. Throws DecodeError for metadata that is not an object.
 *
 * Upstream: crdConversionRESTOptionsGetter (dropInvalidMetadata, repairGeneration) and GetObjectMetaWithOptions of
 * k8s.io/apiextensions-apiserver
 */
export function repairStored(object: Members, root: StructuralNode, metadata: StructSchema): void {
  atOnce(repairStoredSteps(object, root, metadata));
}

/** The same in steps, for large objects. */
export function* repairStoredSteps(object: Members, root: StructuralNode, metadata: StructSchema): DecodingSteps<void> {
  const sound = yield* repairMetadataSteps(object, metadata);
  if (!sound['generation']) sound['generation'] = 1;
  yield* repairResources(object, root, metadata);
}

/** The same for its own metadata alone, which it returns. */
export function* repairMetadataSteps(object: Members, metadata: StructSchema): DecodingSteps<Members> {
  const own = object['metadata'] ?? {};
  if (!isMembers(own)) throw new DecodeError('type', 'invalid metadata: expected object');
  const sound = yield* soundMembers(own, metadata);
  setOwn(object, 'metadata', sound);
  return sound;
}

/** The same for the resources inside one alone. */
export function repairEmbedded(object: Members, root: StructuralNode, metadata: StructSchema): void {
  atOnce(repairResources(object, root, metadata));
}

function* repairResources(object: Members, root: StructuralNode, metadata: StructSchema): DecodingSteps<void> {
  for (const { resource } of walkResources(object, { ...root, embeddedResource: false })) {
    yield* repairResource(resource, metadata);
    yield;
  }
}

function* repairResource(resource: Members, metadata: StructSchema): DecodingSteps<void> {
  for (const name of ['apiVersion', 'kind']) {
    if (Object.hasOwn(resource, name) && typeof resource[name] !== 'string') delete resource[name];
  }
  if (!Object.hasOwn(resource, 'metadata')) return;
  const own = resource['metadata'];
  if (isMembers(own)) setOwn(resource, 'metadata', yield* soundMembers(own, metadata));
  else delete resource['metadata'];
}

/** Members of metadata that are judged one by one between two pauses. */
const AT_ONCE = 256;

/** The members of metadata that are well-formed: nearly always all of them. */
function* soundMembers(members: Members, metadata: StructSchema): DecodingSteps<Members> {
  if (yield* isSound(members, metadata)) return members;
  const sound: Members = {};
  let judged = 0;
  for (const name of Object.keys(members)) {
    if (yield* isSound({ [name]: members[name] }, metadata)) setOwn(sound, name, members[name]);
    if (++judged % AT_ONCE === 0) yield;
  }
  return sound;
}

function* isSound(members: Members, metadata: StructSchema): DecodingSteps<boolean> {
  try {
    yield* typedMetadataSteps(members, metadata);
    return true;
  } catch (error) {
    if (isDecodeError(error)) return false;
    throw error;
  }
}
