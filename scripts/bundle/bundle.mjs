// Bundles the binary, and the entry of @apiserver/envtest. An argument names another folder for the binary alone, to
// measure two builds side by side.
import { readFileSync } from 'node:fs';
import { root } from '../build-stale.mjs';
import { makeBundle } from './make-bundle.mjs';
import { completePlanes } from './planes-entry.mjs';
import { runRecording } from './run-recording.mjs';
import { recordedIn } from './used-modules.mjs';

const [folder] = process.argv.slice(2);
const binary = folder ?? `${root}packages/kube-apiserver/dist/bundle`;
const loader = 'scripts/bundle/loader.ts';

await makeBundle({
  outdir: binary,
  input: { loader, 'kube-apiserver': 'packages/kube-apiserver/src/main.ts' },
  groups: [
    { name: 'command', root: 'packages/kube-apiserver/src/command/run-command.ts' },
    { name: 'server', root: 'packages/kube-apiserver/src/start/launch.ts', layers: [2] },
    { name: 'lmdb', root: 'packages/registry-store/src/lmdb/index.ts' },
  ],
  recordUsed(directory) {
    runRecording('record-first-objects.mjs', directory, 'first-objects.json');
    const firstObjects = readFileSync(`${directory}/first-objects.json`, 'utf8');
    // A first start makes what the second one finds.
    const starts = ['first', 'second'].map((name) =>
      recordedIn(directory, { script: 'record-used-modules.mjs', file: `${name}.json` }),
    );
    return {
      start: starts.flatMap(({ start }) => start),
      requests: starts.flatMap(({ requests }) => requests),
      firstObjects,
    };
  },
  recordBytecode: (directory) => runRecording('record-bytecode.mjs', directory),
});

if (folder === undefined) {
  await makeBundle({
    outdir: `${root}packages/envtest/dist/bundle`,
    input: { loader, envtest: 'packages/envtest/src/index.ts' },
    groups: [{ name: 'planes', root: 'packages/envtest/src/index.ts', layers: [1, 2] }],
    startGroup: 'planes',
    recordUsed(directory) {
      const firstObjects = readFileSync(`${binary}/first-objects.json`, 'utf8');
      const recorded = recordedIn(directory, { script: 'record-used-by-planes.mjs', file: 'used.json', firstObjects });
      return { ...recorded, firstObjects };
    },
    recordBytecode: completePlanes,
  });
}
