/**
 * Compiles Gatekeeper, installs it on a server as its manifest does, and lets it refuse and mutate objects:
 * `node test/envtest/gatekeeper/main.ts --help`.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '@apiserver/apimachinery/errors';
import { startApiServer, temporaryDirectory } from '../../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../../harness/kubectl.ts';
import { goMissing } from '../go-tests.ts';
import { buildGatekeeper } from './build-gatekeeper.ts';
import { checks } from './checks.ts';
import { Fixtures } from './fixtures.ts';
import { runGatekeeper } from './run-gatekeeper.ts';

const usage = `node test/envtest/gatekeeper/main.ts [--folder=FOLDER]

--folder keeps the program between runs; without it, it is removed. Compiling takes minutes the first time. Needs Go and kubectl.
Ends with 1 when a check fails.`;

const { values: options } = parseArgs({
  options: { help: { type: 'boolean', default: false }, folder: { type: 'string' } },
});
const missing = goMissing() ?? kubectlMissing();
if (options.help) console.log(usage);
else if (missing !== undefined) console.log(`skipped: ${missing}`);
else process.exitCode = await main();

async function main(): Promise<number> {
  using temporary = temporaryDirectory('gatekeeper');
  const built = buildGatekeeper(options.folder ?? temporary.path);
  // Without ServiceAccount as in envtest: no controller makes the service accounts of pods.
  const args = ['--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount'];
  await using server = await startApiServer({ args });
  using kubectl = new Kubectl(server.kubeconfig);
  await using gatekeeper = await runGatekeeper(server, kubectl, built);
  const fixtures = new Fixtures(kubectl, built.sources);
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(fixtures);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`failed  ${name}: ${messageOf(error)}`);
    }
  }
  if (failed > 0) console.log(gatekeeper.log);
  console.log(`${Object.keys(checks).length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
