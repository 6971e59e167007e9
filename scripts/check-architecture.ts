/**
 * Compares architecture.json with every package.json, tsconfig.json and import. Prints all violations; exit code 1 if
 * any.
 */
import { fileURLToPath } from 'node:url';
import { loadWorkspace } from './architecture/load-workspace.ts';
import { violationsOf } from './architecture/rules.ts';

const workspace = loadWorkspace(fileURLToPath(new URL('..', import.meta.url)));
const violations = violationsOf(workspace);
for (const violation of violations) console.error(violation);
if (violations.length > 0) {
  console.error(`${violations.length} violations of architecture.json`);
  process.exitCode = 1;
} else {
  console.log(`${workspace.packages.length} packages keep to their rings`);
}
