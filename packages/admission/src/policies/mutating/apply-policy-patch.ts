import type { Json, JsonObject, KubeObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { stepsWithinStack } from '@apiserver/apimachinery/codec';
import { isDecodeError, isStatusError, newInternalError } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { applyJsonPatchSteps, JsonPatchFault } from '@apiserver/apimachinery/patch';
import type { EndpointVersion } from '@apiserver/apiserver-contracts';
import {
  EvaluationError,
  isTooLarge,
  ListValue,
  MadeObject,
  misplacedTypes,
  patchJson,
  type Value,
} from '@apiserver/cel';
import type { EvaluationContext } from '../../expressions/evaluation-context.js';
import { type InVersion, type Patched, patchedCustomResource } from '../../matching/patched-custom-resource.js';
import type { VersionedAttributes } from '../../matching/versioned-request.js';
import { isJson, isJsonObject } from './json-values.js';
import { MutationError, TOO_LARGE } from './mutation-error.js';

/** Gives other requests the event loop. */
type Turn = Pick<EvaluationContext, 'nextTurn'>;

/**
 * Applies the JSON patch that a mutation evaluates to. A patch whose test fails changes nothing.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/json_patch.go
 */
export async function applyPolicyPatch(
  { attributes: { scope }, version, object }: VersionedAttributes,
  value: Value,
  turn: Turn,
): Promise<InVersion> {
  if (object === undefined) throw new TypeError('there is no object to patch');
  const patched = await patch(object, operationsOf(value), turn);
  if (patched === undefined) return { version, object };
  try {
    return atOnce(stepsWithinStack(decodeSteps({ scope, version, value: patched, conversionFailure })));
  } catch (error) {
    throw isStatusError(error) ? error : newInternalError(error);
  }
}

const conversionFailure = (message: string) => newInternalError(`failed to convert object: ${message}`);

function* decodeSteps(patched: Patched): Generator<void, InVersion> {
  const { version, value } = patched;
  return (yield* patchedCustomResource(patched)) ?? { version, object: typedObject(version, value) };
}

function typedObject({ codec }: EndpointVersion, patched: Json): KubeObject {
  const { object, strictErrors } = codec.fromJson(patched, 'Strict');
  if (strictErrors.length === 0) return object;
  throw newInternalError(`strict decoding error: ${strictErrors.join(', ')}`);
}

/** The patched object; undefined after a failed test. */
async function patch(object: KubeObject, operations: readonly JsonObject[], turn: Turn): Promise<Json | undefined> {
  if (!isJsonObject(object)) return undefined;
  try {
    // Operations that copy can nest the object deeper than the stack.
    const steps = stepsWithinStack(applyJsonPatchSteps(cloneJson(object), operations));
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      await turn.nextTurn();
    }
  } catch (error) {
    if (isDecodeError(error)) throw newInternalError(error);
    if (!(error instanceof JsonPatchFault)) throw error;
    if (error.isFailedTest) return undefined;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
}

function operationsOf(value: Value): readonly JsonObject[] {
  if (!(value instanceof ListValue)) {
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  if (isTooLarge(value)) throw new MutationError(TOO_LARGE);
  const operations: JsonObject[] = [];
  for (let index = 0; index < value.size; index++) operations.push(operationOf(value.at(index)));
  return operations;
}

function operationOf(made: Value): JsonObject {
  if (!(made instanceof MadeObject)) {
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  }
  const from = made.find('from');
  return {
    op: textOf(made.find('op')),
    path: textOf(made.find('path')),
    ...(from === '' ? {} : { from: textOf(from) }),
    ...(made.has('value') ? { value: operand(made) } : {}),
  };
}

/** The value of an operation. Upstream's test of null fails even where there is nothing. */
function operand(made: MadeObject): Json {
  const value = valueJson(made.find('value') ?? null);
  return value === null && made.find('op') === 'test' ? NEVER_EQUAL : value;
}

/** No text of an object equals this one. */
const NEVER_EQUAL = '\u0000null';

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

function valueJson(value: Value): Json {
  const misplaced = value instanceof MadeObject ? misplacedTypes(value) : [];
  if (misplaced.length > 0) throw new MutationError(`type mismatch: ${misplaced.join('\n')}`);
  const converted = patchJson(value);
  if (!(converted instanceof EvaluationError) && isJson(converted.json)) return converted.json;
  const reason = converted instanceof EvaluationError ? converted.message : 'no JSON';
  throw new MutationError(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${reason}`);
}
