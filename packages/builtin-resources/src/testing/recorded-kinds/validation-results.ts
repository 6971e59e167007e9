import type { Scale } from '@apiserver/api/autoscaling/v1';
import type { Binding, PodTemplateSpec } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldErrorBody } from '@apiserver/apimachinery/field';
import type { Strategy, VerbContext } from '@apiserver/apiserver-contracts';
import { validateScale } from '@apiserver/resource-kit';
import { validatePodBinding } from '../../core/pod/binding.js';
import { DEFAULT_POD_FEATURES } from '../../core/pod-spec/pod-features.js';
import { podTemplateRules } from '../../core/pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../../core/pod-spec/pod-template.js';
import { isPrivilegedRefusal } from '../../core/pod-spec/security/privileged.js';
import { allErrors } from '../all-errors.js';
import { lineIn136, linesAddedIn136 } from './exceptions.js';
import type { RecordedError, ValidationCase } from './recorded-cases.js';
import { decodedInHub, type ServedKind } from './served-kinds.js';

/** The errors or warnings of a kind's strategy for a recorded object: distinct lines, sorted. */
export async function strategyResult(
  served: ServedKind,
  recorded: ValidationCase,
  context: VerbContext,
): Promise<string[]> {
  const { op, only } = recorded;
  const isRecorded = (place: string) => only === undefined || isBelow(place, only);
  if (op === 'warnings') {
    const { strategy } = served.definition;
    const warnings = strategy.warningsOnCreate?.(context, decodedInHub(served, recorded.object)) ?? [];
    return lines(warnings.filter((warning) => warning.startsWith('volume ') || isRecorded(warning)));
  }
  const all = await strategyErrors(served, recorded, context);
  const errors = all.filter(({ field }) => isRecorded(field));
  const cut = new Set((recorded.errors ?? []).filter((error) => error.cut).map(recordedLine));
  return lines(errors.map(errorLine).map((line) => (cut.has(firstLine(line)) ? firstLine(line) : line)));
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

/** Reports whether a text begins with the path, or a path below it. */
function isBelow(text: string, path: string): boolean {
  return text.startsWith(path) && /^($|[.[:])/.test(text.slice(path.length));
}

function strategyErrors(
  served: ServedKind,
  { op, object, oldObject, only }: ValidationCase,
  context: VerbContext,
): Promise<readonly FieldError[]> {
  const { definition } = served;
  const strategy: Strategy | undefined =
    op === 'create' || op === 'update' ? definition.strategy : definition.subresources[op]?.strategy;
  if (strategy === undefined) throw new Error(`${definition.kind} has no ${op}`);
  const sent = decodedInHub(served, object);
  if (only !== undefined) return Promise.resolve(templateErrors(sent, only));
  return allErrors(strategy, context, sent, oldObject && decodedInHub(served, oldObject));
}

/** For workloads, only the validation of templates was recorded. */
function templateErrors(workload: KubeObject, only: string): readonly FieldError[] {
  const [first = '', ...below] = only.split('.');
  const path = below.reduce((parent, name) => parent.child(name), FieldPath.of(first));
  const template = only.split('.').reduce((value: object, name) => Reflect.get(value, name), workload);
  const errors = validatePodTemplateSpec(template as PodTemplateSpec, podTemplateRules(DEFAULT_POD_FEATURES), path);
  return errors.filter((error) => !isPrivilegedRefusal(error));
}

/** The same for kinds that are not stored: functions instead of a strategy. */
export const SENT_KINDS: Readonly<Record<string, (recorded: ValidationCase) => string[]>> = {
  Binding: ({ object }) => lines(validatePodBinding(object as Binding).map(errorLine)),
  Scale: ({ object }) => lines(validateScale(object as Scale).map(errorLine)),
};

/** The recorded result, in the same form and in the words of 1.36. */
export function recordedResult(recorded: ValidationCase): string[] {
  const { errors = [], warnings } = recorded;
  const corrected = (warnings ?? errors.map(recordedLine)).flatMap((line) => lineIn136(line, recorded) ?? []);
  return lines([...corrected, ...linesAddedIn136(recorded)]);
}

function recordedLine({ type, field, message, message136 }: RecordedError): string {
  return `${type} ${field}: ${message136 ?? message}`;
}

function errorLine(error: FieldError): string {
  return `${error.type} ${error.field}: ${fieldErrorBody(error)}`;
}

function lines(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
