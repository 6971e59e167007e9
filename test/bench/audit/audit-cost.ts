import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminClient } from '../../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../../harness/api-server.ts';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';
import { whileWorking } from '../server-statistics.ts';

const PATH = '/api/v1/namespaces/default/configmaps/audited';
const BATCH = 2_000;
const AT_ONCE = 16;
const WARM_UP = 10;

const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };

/** µs of the server's CPU for a GET. */
async function batch(client: AdminClient): Promise<number> {
  const { cpuSeconds } = await whileWorking(client, async () => {
    for (let sent = 0; sent < BATCH; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => client.request('GET', PATH)));
    }
  });
  return (cpuSeconds * 1e6) / BATCH;
}

/** Prints what GETs cost with a policy at Metadata and a log, and without, in neighbouring batches of two servers. */
export async function measureAudit(batches: number): Promise<void> {
  using folder = temporaryDirectory('bench-audit');
  const file = join(folder.path, 'policy.json');
  writeFileSync(file, JSON.stringify(policy));
  const args = [`--audit-policy-file=${file}`, `--audit-log-path=${join(folder.path, 'audit.log')}`];
  await using plainServer = await startApiServer();
  await using auditedServer = await startApiServer({ args });
  using plain = new AdminClient(plainServer.kubeconfig);
  using audited = new AdminClient(auditedServer.kubeconfig);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'audited' }, data: { a: 'x'.repeat(800) } };
  for (const client of [plain, audited]) await client.request('POST', PATH.slice(0, -'/audited'.length), object);
  const results: (readonly [plain: number, audited: number])[] = [];
  for (let done = 0; done < WARM_UP + batches; done++) {
    const result = [await batch(plain), await batch(audited)] as const;
    if (done >= WARM_UP) results.push(result);
  }
  const quantile = (values: readonly number[], share: number) =>
    percentile(
      values.toSorted((a, b) => a - b),
      share,
    );
  const quartiles = (values: readonly number[], digits: number) =>
    [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(digits)).join(' ');
  printTable('GET of a ConfigMap of 1 KiB (quartiles)', [
    ['', 'cpu µs/op'],
    [
      'not audited',
      quartiles(
        results.map(([without]) => without),
        0,
      ),
    ],
    [
      'two events at Metadata in a file',
      quartiles(
        results.map(([, having]) => having),
        0,
      ),
    ],
    [
      'difference',
      quartiles(
        results.map(([without, having]) => having - without),
        1,
      ),
    ],
    [
      'ratio',
      quartiles(
        results.map(([without, having]) => having / without),
        2,
      ),
    ],
  ]);
}
