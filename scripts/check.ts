/**
 * Everything that must be green before a change is merged, except the tests. All steps run, so that one run shows all
 * that is wrong; the exit code is 1 if any is red. `npm run check -- lint types` runs only the steps named.
 */
import { build, runNode } from './build-stale.mjs';

interface Step {
  readonly name: string;
  /** Resolves to the exit code. */
  run(): Promise<number>;
}

const steps: readonly Step[] = [
  { name: 'build', run: build },
  { name: 'types', run: () => runNode(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.tests.json']) },
  {
    name: 'lint',
    run: () => runNode(['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings']),
  },
  { name: 'architecture', run: () => runNode(['scripts/check-architecture.ts']) },
  { name: 'unused', run: () => runNode(['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints']) },
  { name: 'documents', run: () => runNode(['scripts/check-documents.ts']) },
  { name: 'english', run: () => runNode(['scripts/check-english.ts']) },
  { name: 'api', run: () => runNode(['scripts/check-api.ts']) },
  { name: 'ratchet', run: () => runNode(['scripts/check-ratchet.ts']) },
  { name: 'generated', run: () => runNode(['scripts/check-generated.ts']) },
  { name: 'packages', run: () => runNode(['scripts/check-packages.ts']) },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`unknown step ${unknown.join(', ')}; there are ${steps.map((step) => step.name).join(', ')}`);
  process.exit(2);
}

const red: string[] = [];
for (const step of steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const begun = performance.now();
  const code = await step.run();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`check ${step.name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (code !== 0) red.push(step.name);
}
if (red.length > 0) {
  console.error(`check failed: ${red.join(', ')}`);
  process.exitCode = 1;
}
