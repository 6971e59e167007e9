import type { Json, KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import type { Decoded } from '@apiserver/apimachinery/codec';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { isDecodeError, isStatusError, messageOf, newInternalError } from '@apiserver/apimachinery/errors';
import { equalJson } from '@apiserver/apimachinery/json';
import {
  applyWrittenJsonPatchSteps,
  decodeTrustedJsonPatch,
  JsonPatchFault,
  type JsonPatchOperation,
} from '@apiserver/apimachinery/patch';
import { quote } from '@apiserver/apimachinery/text';
import type { EndpointVersion } from '@apiserver/apiserver-contracts';
import { typeMetaOf } from '@apiserver/webhook/review';
import { applyVersionDefaults } from '../matching/apply-version-defaults.js';
import { WebhookCallError } from './webhook-errors.js';

/** An object after a patch. */
export interface PatchedObject {
  readonly object: KubeObject;
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

/**
 * Applies a patch to an object of a version. The result is decoded and defaulted. Work on large objects gives other
 * requests their turns. Rejects with a 500 if the patch does not apply or its result is no object of the kind.
 */
export async function applyPatch(
  webhookName: string,
  version: EndpointVersion,
  object: KubeObject,
  { operations, written }: WebhookPatch,
): Promise<PatchedObject> {
  try {
    return await inSlices(patchSteps(webhookName, version, object, { operations, written }));
  } catch (error) {
    if (isStatusError(error) || !(error instanceof JsonPatchFault || isDecodeError(error))) throw error;
    throw newInternalError(messageOf(error));
  }
}

function* patchSteps(
  webhookName: string,
  version: EndpointVersion,
  object: KubeObject,
  { operations, written }: WebhookPatch,
): Generator<void, PatchedObject> {
  const before = version.codec.normalize(object);
  yield;
  const encoded = version.codec.encodeJson(object);
  yield;
  const document = parseJsonValue(encoded);
  yield;
  const patched = yield* applyWrittenJsonPatchSteps(document, operations, written);
  yield;
  checkKind(webhookName, object, patched);
  const decoded: Decoded<KubeObject> = yield* version.codec.fromJsonSteps(patched, 'Ignore');
  yield;
  const changed = !equalJson(before, decoded.object);
  yield;
  applyVersionDefaults(version, decoded.object);
  return { object: decoded.object, changed };
}

function checkKind(webhookName: string, { apiVersion, kind }: KubeObject, patched: Json): void {
  typeMetaOf(patched);
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) return;
  // Absent ones are those of the object.
  patched['apiVersion'] ??= apiVersion;
  patched['kind'] ??= kind;
  if (patched['apiVersion'] === apiVersion && patched['kind'] === kind) return;
  throw newInternalError(`admission webhook ${quote(webhookName)} attempted to change the kind of the object`);
}
