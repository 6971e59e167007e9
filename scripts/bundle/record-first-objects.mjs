// Records the objects of a first start. It starts the server of a folder that has one file for each module. The objects
// of its store go into the JSON file of the second argument. A process of its own, because it ends its server.
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordFirstObjects } from '../../packages/controlplane/src/first-objects/first-objects.ts';
import { flags, serveFirstRequests } from './first-requests.mjs';
import { moduleFiles } from './module-files.mjs';
import { again } from './run-recording.mjs';

const directory = resolve(process.argv[2] ?? '');
const dataDirectory = join(directory, 'recorded-data');
const { load } = moduleFiles(directory);
rmSync(dataDirectory, { recursive: true, force: true });
// A slow machine takes seconds for what must bear one time.
const now = Date.now();
Date.now = () => now;
await serveFirstRequests(load('kube-apiserver.cjs').main, dataDirectory, { responded() {} });
const { openLmdbStore } = load('packages/registry-store/src/lmdb/open-lmdb-store.cjs');
await using store = await openLmdbStore({ directory: join(dataDirectory, 'db'), compactionInterval: 0 });
const objects = await recordFirstObjects(store, '/registry');
const roles = (objects ?? []).filter(({ key }) => key.startsWith('clusterroles/')).map(({ text }) => JSON.parse(text));
const schemas = (objects ?? []).filter(({ key }) => key.startsWith('flowschemas/')).map(({ text }) => JSON.parse(text));
const isComplete = roles.every((role) => isFilled(role, roles)) && schemas.every(({ status }) => status?.conditions);
if (objects === undefined || !isComplete) {
  process.stderr.write('an object has another time than the others, or one was not filled yet\n');
  process.exit(again);
}
const { KubeApiserverOptions } = load('packages/kube-apiserver/src/options/kube-apiserver-options.cjs');
const { optionsFingerprint } = load('packages/kube-apiserver/src/options/options-fingerprint.cjs');
const options = new KubeApiserverOptions();
options.flagSets().parse(flags);
const recorded = { fingerprint: optionsFingerprint(options), objects };
writeFileSync(join(directory, process.argv[3] ?? ''), JSON.stringify(recorded));

/**
 * Aggregated roles are filled when the server is ready, one from the other.
 *
 * @param {any} role
 * @param {readonly any[]} roles
 * @returns {boolean} whether it has the rules of all roles that it is made of; true for any other role
 */
function isFilled({ aggregationRule, rules }, roles) {
  if (!aggregationRule) return true;
  const filled = new Set((rules ?? []).map((/** @type {unknown} */ rule) => JSON.stringify(rule)));
  return aggregationRule.clusterRoleSelectors.every((/** @type {any} */ { matchLabels }) => {
    const [label = '', value] = Object.entries(matchLabels)[0] ?? [];
    const selected = roles.filter((role) => role.metadata.labels?.[label] === value);
    return selected.every((role) =>
      role.rules?.every((/** @type {unknown} */ rule) => filled.has(JSON.stringify(rule))),
    );
  });
}
