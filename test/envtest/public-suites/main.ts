/**
 * Runs the test suites that public operator libraries have for themselves, on assets/ or what KUBEBUILDER_ASSETS names.
 * Their modules are fetched, copied and run in a folder of their own: `node test/envtest/public-suites/main.ts --help`.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEtcd } from '@apiserver/registry-store/testing';
import { temporaryDirectory } from '../../harness/api-server.ts';
import { assets } from '../go-tests.ts';
import { endLeftovers } from './end-leftovers.ts';
import { goWorkspace } from './go-workspace.ts';
import { runSuite, type SuiteResult } from './run-suite.ts';
import { readSuites, type Suite } from './suites.ts';

const usage = `node test/envtest/public-suites/main.ts [--only=TEXT] [--folder=FOLDER]

--only runs the packages whose path has that text. --folder keeps the copies of the modules between runs; without it they
are removed. Compiling takes minutes the first time. Ends with 1 when a test fails that suites.json does not expect to,
or passes that it does.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
  },
});
if (options.help) console.log(usage);
else process.exitCode = await main();

async function main(): Promise<number> {
  using temporary = temporaryDirectory('public-suites');
  const folder = options.folder ?? temporary.path;
  // Some suites leave certificates where temporary files go.
  const environment = { KUBEBUILDER_ASSETS: process.env['KUBEBUILDER_ASSETS'] ?? assets, TMPDIR: temporary.path };
  const modules = readSuites();
  goWorkspace(folder, modules);
  const counts = { passed: 0, failed: 0, skipped: 0, wrong: 0 };
  for (const module of modules) {
    const suites = module.suites.filter(({ path }) => join(module.module, path).includes(options.only));
    await using etcd = module.needsEtcd && suites.length > 0 ? await startEtcd() : undefined;
    const variables = {
      ...environment,
      ...(etcd !== undefined && { KUBE_INTEGRATION_ETCD_URL: etcd.url }),
      ...(module.ownLibraries && { GOWORK: 'off', GOFLAGS: '-mod=mod' }),
    };
    for (const suite of suites) {
      const result =
        suite.skip === undefined ? await runSuite(join(folder, module.folder), suite, variables) : undefined;
      endLeftovers(temporary.path);
      const wrong = report(`${module.module}@${module.version}`, suite, result);
      counts.passed += result?.passed ?? 0;
      counts.failed += result?.failed.length ?? 0;
      counts.skipped += result?.skipped ?? 0;
      counts.wrong += wrong;
    }
  }
  console.log(
    `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped by themselves; ${counts.wrong} not as expected`,
  );
  return counts.wrong === 0 ? 0 : 1;
}

/** Prints the line of a suite and its unexpected results. Returns their number. */
function report(module: string, suite: Suite, result: SuiteResult | undefined): number {
  if (result === undefined) {
    console.log(`${module} ${suite.path}: not run: ${suite.skip}`);
    return 0;
  }
  const { passed, failed, skipped, seconds } = result;
  console.log(`${module} ${suite.path}: ${passed} passed, ${failed.length} failed, ${skipped} skipped, ${seconds} s`);
  const reasons = { ...suite.fails, ...suite.sometimes };
  const entryOf = (name: string) => Object.keys(reasons).find((entry) => name.includes(entry));
  const unexpected = failed.filter((name) => entryOf(name) === undefined);
  const unneeded = Object.keys(suite.fails).filter((entry) => !failed.some((name) => name.includes(entry)));
  for (const [name, { length }] of Map.groupBy(failed, (one) => one)) {
    const times = length === 1 ? '' : ` (${length} specs)`;
    console.log(`  failed: ${name}${times}: ${reasons[entryOf(name) ?? ''] ?? 'NOT EXPECTED'}`);
  }
  for (const entry of unneeded) console.log(`  passed: ${entry}: EXPECTED TO FAIL`);
  if (unexpected.length > 0) console.log(result.output);
  return unexpected.length + unneeded.length;
}
