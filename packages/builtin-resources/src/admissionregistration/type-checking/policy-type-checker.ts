import type { ExpressionWarning, ParamKind, ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { formatGroupVersionKind, type GroupVersionKind, tryParseGroupVersion } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { FieldPath } from '@apiserver/apimachinery/field';
import { type KindsOf, kindsToCheck } from './kinds-to-check.js';
import type { OpenApiDocument } from './open-api-types.js';
import type { CheckedKind, TypeCheckingEngine } from './type-checking-engine.js';

/** Access to the types of a whole server. */
export interface ServedTypes {
  readonly kindsOf: KindsOf;
  /** The OpenAPI v3 document of a group version; undefined if nothing serves it. */
  openApiOf(kind: GroupVersionKind): Promise<OpenApiDocument | undefined>;
}

const VALIDATIONS = FieldPath.of('spec', 'validations');

/** An expression of a policy with the path to it. */
interface CheckedExpression {
  readonly fieldRef: string;
  readonly text: string;
}

/**
 * Checks the types in the expressions of policies against the kinds that they match.
 * Upstream: TypeChecker of k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go
 */
export class PolicyTypeChecker {
  readonly #types: ServedTypes;
  #engine: TypeCheckingEngine | undefined;

  constructor(types: ServedTypes) {
    this.#types = types;
  }

  /** The warnings about a policy: for each wrong expression one, about all kinds for which it is wrong. */
  async check({ spec }: ValidatingAdmissionPolicy): Promise<readonly ExpressionWarning[]> {
    const kinds = await kindsToCheck(spec, this.#types.kindsOf);
    const expressions = [...expressionsOf(spec)];
    if (kinds.length === 0 || expressions.length === 0) return [];
    this.#engine ??= await loadEngine();
    const documents = new Documents(this.#types);
    const params = await this.#paramsOf(spec.paramKind, documents);
    const checked: CheckedKind[] = [];
    for (const kind of kinds) {
      const document = await documents.of(kind);
      const types = { params, variables: spec.variables ?? [] };
      const one = document && (await inSlices(this.#engine.kind(kind, document, types)));
      if (one !== undefined) checked.push(one);
    }
    return inSlices(warningsOf(expressions, checked));
  }

  async #paramsOf(paramKind: ParamKind | undefined, documents: Documents) {
    const groupVersion = paramKind && tryParseGroupVersion(paramKind.apiVersion ?? '');
    if (groupVersion === undefined) return undefined;
    const kind = { ...groupVersion, kind: paramKind?.kind ?? '' };
    return { kind, document: await documents.of(kind) };
  }
}

/** Reads each document once. */
class Documents {
  readonly #types: ServedTypes;
  readonly #known = new Map<string, Promise<OpenApiDocument | undefined>>();

  constructor(types: ServedTypes) {
    this.#types = types;
  }

  of(kind: GroupVersionKind): Promise<OpenApiDocument | undefined> {
    const key = `${kind.group}/${kind.version}`;
    const known = this.#known.get(key) ?? this.#types.openApiOf(kind);
    this.#known.set(key, known);
    return known;
  }
}

function* expressionsOf({ validations = [] }: ValidatingAdmissionPolicy['spec']): Generator<CheckedExpression> {
  for (const [i, { expression, messageExpression = '' }] of validations.entries()) {
    const path = VALIDATIONS.index(i);
    yield { fieldRef: String(path.child('expression')), text: expression };
    if (messageExpression === '') continue;
    yield { fieldRef: String(path.child('messageExpression')), text: messageExpression };
  }
}

function* warningsOf(
  expressions: readonly CheckedExpression[],
  kinds: readonly CheckedKind[],
): Generator<void, readonly ExpressionWarning[]> {
  const warnings: ExpressionWarning[] = [];
  for (const { fieldRef, text } of expressions) {
    const messages: string[] = [];
    for (const { kind, faultOf } of kinds) {
      const fault = faultOf(text);
      if (fault !== undefined) messages.push(`${formatGroupVersionKind(kind)}: ${fault}\n`);
      yield;
    }
    if (messages.length > 0) warnings.push({ fieldRef, warning: messages.join('\n') });
  }
  return warnings;
}

/** Loads the engine, which takes megabytes: a server without policies never does. */
async function loadEngine(): Promise<TypeCheckingEngine> {
  const { TypeCheckingEngine } = await import('./type-checking-engine.js');
  return new TypeCheckingEngine();
}
