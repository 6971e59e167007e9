// Writes down what every first start makes: starts the server that lies in a folder with one file for each module, and takes the
// objects from its store (into the JSON file of the second argument). A process of its own, because it ends the server that runs in it.
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordFirstObjects } from '../packages/kube-apiserver/src/first-start/first-objects.ts';
import { serveFirstRequests } from './first-requests.mjs';
import { moduleFiles } from './module-files.mjs';
import { again } from './run-recording.mjs';

const directory = resolve(process.argv[2] ?? '');
const dataDirectory = join(directory, 'recorded-data');
const { load } = moduleFiles(directory);
rmSync(dataDirectory, { recursive: true, force: true });
await serveFirstRequests(load('kube-apiserver.cjs').main, dataDirectory, { answered() {} });
const { openLmdbStore } = load('packages/registry-store/src/lmdb/open-lmdb-store.cjs');
await using store = await openLmdbStore({ directory: join(dataDirectory, 'db'), compactionInterval: 0 });
const objects = await recordFirstObjects(store, '/registry');
if (objects === undefined) process.exit(again);
checkAggregated(objects.filter(({ key }) => key.startsWith('clusterroles/')).map(({ text }) => JSON.parse(text)));
writeFileSync(join(directory, process.argv[3] ?? ''), JSON.stringify(objects));

/**
 * Aggregated roles are filled when the server is ready, one from the other. Throws if they were not yet.
 *
 * @param {readonly any[]} roles
 */
function checkAggregated(roles) {
  const aggregated = roles.filter(({ aggregationRule }) => aggregationRule);
  for (const { metadata, rules, aggregationRule } of aggregated) {
    const filled = new Set((rules ?? []).map((/** @type {unknown} */ rule) => JSON.stringify(rule)));
    for (const { matchLabels } of aggregationRule.clusterRoleSelectors) {
      const [label] = Object.keys(matchLabels);
      const selected = roles.filter((role) => role.metadata.labels?.[label ?? ''] === matchLabels[label ?? '']);
      const whole = selected.every((role) =>
        role.rules.every((/** @type {unknown} */ rule) => filled.has(JSON.stringify(rule))),
      );
      if (!whole || selected.length === 0) throw new Error(`${metadata.name} was not filled yet`);
    }
  }
  if (aggregated.length === 0) throw new Error('there are no aggregated roles');
}
