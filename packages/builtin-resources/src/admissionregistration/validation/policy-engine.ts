import { PolicyCompiler, type PolicyDeclarations, SharedEnvironment } from '@apiserver/cel';

/** A module of its own, which only `ExpressionChecks` loads, when it first needs the engine. */
export class PolicyEngine {
  readonly #shared = new SharedEnvironment();

  compiler(declared: PolicyDeclarations): PolicyCompiler {
    return new PolicyCompiler(this.#shared, declared);
  }
}
