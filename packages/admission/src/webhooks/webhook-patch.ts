import { setImmediate } from 'node:timers/promises';
import type { Json, KubeObject } from '@apiserver/apimachinery';
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
import { WebhookCallError } from './webhook-errors.js';

/** Milliseconds of work between two turns of the event loop. */
const TURN_MS = 8;

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
  const before = version.codec.normalize(object);
  const document = parseJsonValue(version.codec.encodeJson(object));
  try {
    const patched = await inTurns(applyWrittenJsonPatchSteps(document, operations, written));
    checkKind(webhookName, object, patched);
    const decoded: Decoded<KubeObject> = await inTurns(version.codec.fromJsonSteps(patched, 'Ignore'));
    const changed = !equalJson(before, decoded.object);
    applyDefaults(version, decoded.object);
    return { object: decoded.object, changed };
  } catch (error) {
    if (isStatusError(error) || !(error instanceof JsonPatchFault || isDecodeError(error))) throw error;
    throw newInternalError(messageOf(error));
  }
}

function checkKind(webhookName: string, { apiVersion, kind }: KubeObject, patched: Json): void {
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) return;
  // Absent ones are those of the object.
  patched['apiVersion'] ??= apiVersion;
  patched['kind'] ??= kind;
  if (patched['apiVersion'] === apiVersion && patched['kind'] === kind) return;
  throw newInternalError(`admission webhook ${quote(webhookName)} attempted to change the kind of the object`);
}

function applyDefaults({ codec, versionDefinition }: EndpointVersion, object: KubeObject): void {
  codec.applyDefaults(object);
  versionDefinition.applyDefaults?.(object);
  versionDefinition.normalize?.(object);
}

/** Runs steps, and yields to the event loop when a turn is over. */
async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  let turnEnd = performance.now() + TURN_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < turnEnd) continue;
    await setImmediate();
    turnEnd = performance.now() + TURN_MS;
  }
}
