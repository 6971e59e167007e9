import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The first of the named files that lies beside a module, by its `import.meta.url`. Undefined if there is none, and for a
 * module that a bundler has made a part of CommonJS, which has no URL.
 */
export function fileBeside(module: string | undefined, names: readonly string[]): string | undefined {
  if (!module?.startsWith('file:')) return undefined;
  return names.map((name) => fileURLToPath(new URL(name, module))).find((file) => existsSync(file));
}
