import type { Variable } from '@apiserver/api/admissionregistration/v1';
import type { GroupVersionKind } from '@apiserver/apimachinery';
import {
  type DeclType,
  ExpressionErrors,
  nameTypes,
  PolicyCompiler,
  SharedEnvironment,
  schemaDeclType,
} from '@apiserver/cel';
import { type OpenApiDocument, schemaOfKind } from './open-api-types.js';

/** The other types that the expressions of a policy use. */
export interface PolicyTypes {
  /** The kind of parameters, if the policy has one; its document is undefined if nothing serves it. */
  readonly params: { readonly kind: GroupVersionKind; readonly document: OpenApiDocument | undefined } | undefined;
  readonly variables: readonly Variable[];
}

/** A kind with the check of expressions against it. */
export interface CheckedKind {
  readonly kind: GroupVersionKind;
  /** The fault of an expression as the compiler tells it, with a caret; undefined if it has none. */
  faultOf(expression: string): string | undefined;
}

/** A module of its own, which only `PolicyTypeChecker` loads, when it first needs the engine. */
export class TypeCheckingEngine {
  readonly #shared = new SharedEnvironment();

  /** Prepares the check against a kind, in steps; undefined if the document does not have the kind. */
  *kind(
    kind: GroupVersionKind,
    document: OpenApiDocument,
    types: PolicyTypes,
  ): Generator<void, CheckedKind | undefined> {
    const object = typeOf(document, kind, 'object');
    if (object === undefined) return undefined;
    const { params, variables } = types;
    const paramsType = params?.document && typeOf(params.document, params.kind, 'params')?.type;
    const compiler = new PolicyCompiler(this.#shared, {
      params: params !== undefined,
      variables: true,
      typesOnly: true,
      ...(object.type && { objectType: object.type }),
      ...(paramsType && { paramsType }),
    });
    for (const { name, expression } of variables) {
      compiler.declareTyped(name, expression);
      yield;
    }
    return {
      kind,
      faultOf(expression) {
        const checked = compiler.check(expression, 'condition');
        return checked instanceof ExpressionErrors ? String(checked) : undefined;
      },
    };
  }
}

/** The type of a kind, itself undefined for a schema without a type; undefined if the document lacks the kind. */
function typeOf(
  document: OpenApiDocument,
  kind: GroupVersionKind,
  variable: string,
): { readonly type: DeclType | undefined } | undefined {
  const schema = schemaOfKind(document, kind);
  if (schema === undefined) return undefined;
  const type = schemaDeclType(schema, true);
  // The names of types differ between variables of one kind.
  return { type: type && nameTypes(type, `${kind.kind}.${variable}`) };
}
