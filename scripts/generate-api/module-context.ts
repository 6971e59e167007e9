import { type Facts, type KindFact, splitGoName } from './facts.ts';
import type { ApiModule } from './modules.ts';

/** State of writing one module: its input, and the names it has used so far. */
export interface ModuleContext {
  readonly facts: Facts;
  readonly module: ApiModule;
  readonly modules: readonly ApiModule[];
  /** Values and types imported from apimachinery's schema. */
  readonly values: Set<string>;
  readonly typeNames: Set<string>;
  /** Types imported from apimachinery itself. */
  readonly sharedTypes: Set<string>;
  /** Other modules used, and whether for more than types. */
  readonly imports: Map<ApiModule, 'type' | 'value'>;
}

/** The module that defines a Go type, and the type's name there. */
export function locate(context: ModuleContext, go: string): { readonly module: ApiModule; readonly name: string } {
  const { pkg, name } = splitGoName(go);
  const module = context.modules.find((candidate) => candidate.pkg === pkg);
  if (module === undefined) throw new Error(`no module has the type ${go}`);
  return { module, name };
}

/** The expression by which this module names something of a module, recording the import. */
export function qualified(context: ModuleContext, go: string, use: 'type' | 'value'): string {
  const { module, name } = locate(context, go);
  if (module === context.module) return name;
  if (use === 'value' || !context.imports.has(module)) context.imports.set(module, use);
  return `${module.alias}.${name}`;
}

/** The kind whose own struct a Go type is. */
export function kindOf(context: ModuleContext, go: string): KindFact | undefined {
  const { module } = locate(context, go);
  return module.kinds.find((kind) => kind.go === go);
}

/** Names a value of apimachinery and records that it is imported. */
export function use(context: ModuleContext, name: string): string {
  context.values.add(name);
  return name;
}
