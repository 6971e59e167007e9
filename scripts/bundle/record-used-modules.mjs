// Says which modules are used first: starts the server that lies in a folder with one file for each module, and writes beside them
// (in the JSON file of the second argument) which files were used when it was ready, and which when it had answered what clients ask first. A process of
// its own, because it ends the server that runs in it.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serveFirstRequests } from './first-requests.mjs';
import { moduleFiles } from './module-files.mjs';

const directory = resolve(process.argv[2] ?? '');
const { load, used } = moduleFiles(directory);
/** @type {{ start: string[], requests: string[] }} */
const recorded = { start: [], requests: [] };
const firstObjects = join(directory, 'first-objects.json');
await serveFirstRequests((args) => load('kube-apiserver.cjs').main(args, firstObjects), join(directory, 'data'), {
  ready() {
    recorded.start = used();
  },
  answered() {
    recorded.requests = used();
  },
});
writeFileSync(join(directory, process.argv[3] ?? ''), JSON.stringify(recorded));
