import type { Json, KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { stepsWithinStack } from '@apiserver/apimachinery/codec';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import {
  isDecodeError,
  isStatusError,
  messageOf,
  newInternalError,
  plainFailure,
} from '@apiserver/apimachinery/errors';
import { equalJson, isMembers } from '@apiserver/apimachinery/json';
import {
  applyWrittenJsonPatchSteps,
  decodeTrustedJsonPatch,
  JsonPatchFault,
  type JsonPatchOperation,
} from '@apiserver/apimachinery/patch';
import { quote } from '@apiserver/apimachinery/text';
import type { EndpointVersion, RequestScope } from '@apiserver/apiserver-contracts';
import { typeMetaOf } from '@apiserver/webhook/review';
import { type InVersion, patchedCustomResource, setPatchedDefaults } from '../matching/patched-custom-resource.js';
import { WebhookCallError } from './webhook-errors.js';

/** An object after a patch. */
export interface PatchedObject extends InVersion {
  readonly changed: boolean;
}

/** The operations of a patch, and its text. */
export interface WebhookPatch {
  readonly operations: readonly JsonPatchOperation[];
  readonly written: Uint8Array;
}

/** Reads the patch in a response. Throws a WebhookCallError for text that is no JSON patch. */
export function readPatch(webhookName: string, written: Uint8Array): WebhookPatch {
  try {
    return { operations: decodeTrustedJsonPatch(parseJsonValue(written)), written };
  } catch (error) {
    if (!isDecodeError(error) && !isStatusError(error)) throw error;
    const reason = `received undecodable patch in webhook response: ${error.message}`;
    throw new WebhookCallError(webhookName, reason, 503);
  }
}

/** The object of a patch, in one of its versions. */
export interface PatchTarget {
  readonly webhookName: string;
  readonly scope: Pick<RequestScope, 'equivalents' | 'kind'>;
  readonly version: EndpointVersion;
  readonly object: KubeObject;
}

/**
 * Applies a patch to an object of a version. The result is decoded and defaulted. Work on large objects gives other
 * requests their turns. Rejects with a 500 if the patch does not apply or its result is no object of the kind.
 */
export async function applyPatch(target: PatchTarget, patch: WebhookPatch): Promise<PatchedObject> {
  try {
    // Operations that copy can nest the object deeper than the stack.
    return await inSlices(stepsWithinStack(patchSteps(target, patch)));
  } catch (error) {
    if (isStatusError(error) || !(error instanceof JsonPatchFault || isDecodeError(error))) throw error;
    throw newInternalError(messageOf(error));
  }
}

function* patchSteps(target: PatchTarget, { operations, written }: WebhookPatch): Generator<void, PatchedObject> {
  const { version, object } = target;
  const before = version.codec.normalize(object);
  yield;
  const encoded = version.codec.encodeJson(object);
  yield;
  const document = parseJsonValue(encoded);
  yield;
  const patched = yield* applyWrittenJsonPatchSteps(document, operations, written);
  yield;
  const after = yield* afterSteps(target, patched);
  yield;
  const changed = !equalJson(before, after.object);
  yield;
  setPatchedDefaults(after);
  return { ...after, changed };
}

const conversionFailure = (message: string) => plainFailure(500, message);

function* afterSteps(target: PatchTarget, patched: Json): Generator<void, InVersion> {
  const { scope, version } = target;
  const custom = yield* patchedCustomResource({ scope, version, value: patched, conversionFailure });
  return custom ?? { version, object: yield* typedSteps(target, patched) };
}

/** The object keeps its kind: upstream would have to find the Go type of another one. */
function* typedSteps({ webhookName, version, object }: PatchTarget, patched: Json): Generator<void, KubeObject> {
  const { apiVersion, kind } = object;
  const named = typeMetaOf(patched);
  // Absent ones are those of the object.
  if ((named.apiVersion || apiVersion) !== apiVersion || (named.kind || kind) !== kind) {
    throw newInternalError(`admission webhook ${quote(webhookName)} attempted to change the kind of the object`);
  }
  if (isMembers(patched)) Object.assign(patched, { apiVersion, kind });
  const decoded = yield* version.codec.fromJsonSteps(patched, 'Ignore');
  return decoded.object;
}
